import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { once } from '../values/once.ts';
import { packageRoot } from '../values/package-root.ts';

/** Values of case files that were read, checked and linted before, so that the first verdict does not wait for that. */
export interface ParsedMemory {
  /** The value of a text in which no problem was found; undefined when it is not known. */
  readonly recall: (text: string) => { readonly value: unknown } | undefined;
  readonly keep: (text: string, value: unknown) => void;
}

/**
 * A memory in `node_modules/.cache`, keyed by the text and by everything it was checked with: the register, and the sources of
 * schema, expansion and lint. It is a convenience: what cannot be read or written is as good as unknown.
 */
export function parsedMemory(): ParsedMemory {
  const folder = path.join(packageRoot(), 'node_modules', '.cache', 'proxy-conformance');
  const fileOf = (text: string): string => path.join(folder, `${digest([checkedWith(), text])}.json`);
  return {
    recall: (text) => attempt(() => ({ value: JSON.parse(readFileSync(fileOf(text), 'utf8')) as unknown })),
    keep: (text, value) => {
      attempt(() => {
        mkdirSync(folder, { recursive: true });
        writeFileSync(fileOf(text), JSON.stringify(value));
      });
    },
  };
}

/** Of an installed package the sources are not there; its version then stands for them. */
const CHECKED_WITH = [
  'package.json',
  'schemas',
  'docs/spec/clauses',
  'docs/spec/features.yaml',
  'docs/spec/open-points.yaml',
  'conformance/runner/case',
  'conformance/runner/values',
];

const checkedWith = once(() => digest(CHECKED_WITH.flatMap((name) => textsBelow(path.join(packageRoot(), name)))));

function textsBelow(name: string): readonly string[] {
  const stats = attempt(() => statSync(name));
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [readFileSync(name, 'utf8')];
  return readdirSync(name)
    .toSorted()
    .flatMap((entry) => textsBelow(path.join(name, entry)));
}

function digest(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex').slice(0, 32);
}

function attempt<Result>(task: () => Result): Result | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}
