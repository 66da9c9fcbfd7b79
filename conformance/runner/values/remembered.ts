import { openCache } from './cache.ts';
import { once } from './once.ts';
import { programFingerprint } from './package-texts.ts';

const cache = once(() => openCache('made'));

/**
 * What `make` makes of a text, worked out once for each text and version of this package. `what` names the maker. The value is
 * plain data; what `make` throws is thrown.
 */
export function remembered<Value>(what: string, text: string, make: (text: string) => Value): Value {
  const known = cache().recall(what, programFingerprint(), text)?.value;
  if (isMadeBy(make, known)) return known;
  const made = make(text);
  cache().keep(made, what, programFingerprint(), text);
  return made;
}

// The key says which program made it from which text.
function isMadeBy<Value>(_make: (text: string) => Value, known: unknown): known is Value {
  return known !== undefined;
}
