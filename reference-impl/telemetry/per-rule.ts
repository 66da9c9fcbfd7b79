import type { ListenerView, RuleView } from '../attachment/view.ts';
import { perObject } from '../base/per-object.ts';
import type { Entry } from './entry.ts';

/** Made once for the requests of a rule at a listener, and once for those of the listener that found no rule. */
export function perRule<Result>(make: () => Result): (entry: Pick<Entry, 'listener' | 'rule'>) => Result {
  const known = perObject((_listener: ListenerView) => perObject((_rule: RuleView | ListenerView) => make()));
  return ({ listener, rule }) => known(listener)(rule ?? listener);
}
