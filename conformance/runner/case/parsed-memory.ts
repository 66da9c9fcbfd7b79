import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../values/package-root.ts';

/** Values of case files that were read and checked before, so that the first verdict does not wait for YAML. */
export interface ParsedMemory {
  /** The value of a text that was read without any problem; undefined when it is not known. */
  readonly recall: (text: string) => { readonly value: unknown } | undefined;
  readonly keep: (text: string, value: unknown) => void;
}

/**
 * A memory in `node_modules/.cache`, keyed by the text and by the schema it was checked against. It is a convenience: what
 * cannot be read or written is as good as unknown.
 */
export function parsedMemory(): ParsedMemory {
  const folder = path.join(packageRoot(), 'node_modules', '.cache', 'proxy-conformance');
  const schema = attempt(() => readFileSync(path.join(packageRoot(), 'schemas', 'case.schema.json'), 'utf8')) ?? '';
  const fileOf = (text: string): string =>
    path.join(folder, `${createHash('sha256').update(schema).update(text).digest('hex').slice(0, 32)}.json`);
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

function attempt<Result>(task: () => Result): Result | undefined {
  try {
    return task();
  } catch {
    return undefined;
  }
}
