import { AuthoringError } from '../authoring-error.ts';
import type { MatcherUse } from './matcher.ts';

/** For matchers that say how often a list item occurs: elsewhere they have no meaning. */
export function onlyInLists(name: string, { context }: MatcherUse): never {
  throw new AuthoringError(`${name} stands only for an item of a list`, context.at);
}
