import { CelScalar, celFunc, celList, celMethod, listType } from '@bufbuild/cel';
import type { CelFunc, CelList } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { payForSize, spend, valueOf } from '../frame.ts';

const { BYTES, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);

/** What makes long values of short ones; each pays before or as it makes them. */
export const GROWING_FUNCTIONS: readonly CelFunc[] = [
  celFunc('_+_', [STRING, STRING], STRING, (left, right) => payForSize(left + right)),
  celFunc('_+_', [BYTES, BYTES], BYTES, (left, right) => payForSize(Buffer.concat([left, right]))),
  // Flat: the engine's own chain of lists gets slower to read with every concatenation.
  celFunc('_+_', [LIST, LIST], LIST, (left, right) => {
    spend((left.size + right.size) >> 4);
    return celList([...left, ...right]);
  }),
  celMethod('replace', STRING, [STRING, STRING], STRING, function (search, replacement) {
    return replace(this, search, replacement, -1);
  }),
  celMethod('replace', STRING, [STRING, STRING, INT], STRING, function (search, replacement, limit) {
    return replace(this, search, replacement, Number(limit));
  }),
  celMethod('join', LIST, [STRING], STRING, function (separator) {
    return join(this, separator);
  }),
];

/** Replaces the first `limit` places, all of them when it is negative. An empty search text stands between any two characters. */
function replace(subject: string, search: string, replacement: string, limit: number): string {
  const pieces = search === '' ? ['', ...Array.from(subject), ''] : subject.split(search);
  const places = limit < 0 ? pieces.length - 1 : Math.min(limit, pieces.length - 1);
  spend((subject.length + places * replacement.length) >> 8);
  const untouched = pieces.slice(places).join(search);
  return [...pieces.slice(0, places), untouched].join(replacement);
}

const engineJoin = strings.find(({ name, arguments: { length } }) => name === 'join' && length === 1);

function join(list: CelList, separator: string): string {
  spend((list.size * separator.length) >> 8);
  const joined = valueOf(engineJoin?.call(0, list, [separator]) ?? null);
  if (typeof joined !== 'string') throw new Error('join needs a list of strings');
  return payForSize(joined);
}
