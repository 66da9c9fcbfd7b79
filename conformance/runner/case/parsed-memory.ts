import { fingerprint, openCache } from '../values/cache.ts';
import { once } from '../values/once.ts';
import { programFingerprint, fileFingerprint } from '../values/package-texts.ts';

/** Values of case files that were read, checked and linted before, so that the first verdict does not wait for that. */
export interface ParsedMemory {
  /** The value of a text in which no problem was found; undefined when it is not known. */
  readonly recall: (text: string) => { readonly value: unknown } | undefined;
  readonly keep: (text: string, value: unknown) => void;
}

/** A memory in the cache of this package, keyed by the text and by everything it was checked with: programs, register, fields. */
export function parsedMemory(): ParsedMemory {
  const cache = openCache('case-file');
  return {
    recall: (text) => cache.recall(checkedWith(), text),
    keep: (text, value) => cache.keep(value, checkedWith(), text),
  };
}

const checkedWith = once(() => fingerprint([programFingerprint(), fileFingerprint(CHECKED_WITH)]));

const CHECKED_WITH = [
  'docs/spec/clauses',
  'docs/spec/features.yaml',
  'docs/spec/open-points.yaml',
  'docs/spec/fields.yaml',
  'conformance/cases/resources/_fragments',
  'conformance/cases/_expressions',
];
