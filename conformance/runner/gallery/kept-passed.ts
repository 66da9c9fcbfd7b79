import { hash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { ConcreteCase } from '../case/concrete-case.ts';
import type { Sources } from './declarations.ts';
import type { Passed } from './telling-reference.ts';

/** What was executed of one file; many cases have it in common. */
export interface Part {
  readonly file: string;
  readonly places: readonly number[];
}

/** What cases came by, kept from one run to the next in lines of JSON: parts, and which of them a case has. */
export interface KeptPassed {
  /** Undefined for what was not followed, or came by a file that has another text now. */
  readonly of: (what: Followed) => readonly Part[] | undefined;
  readonly keep: (what: Followed, passed: Passed) => void;
}

/** A case, or what the reference does until it is ready. */
export type Followed = ConcreteCase | 'start';

const partLine = z.object({
  id: z.string(),
  file: z.string(),
  text: z.string(),
  places: z.array(z.number()).readonly(),
});

/** A line of the file: a part with the text it is of, or the parts of a case. */
const lineSchema = z.union([partLine, z.object({ key: z.string(), parts: z.array(z.string()) })]);
type Line = z.infer<typeof lineSchema>;

/** Reads the file if it is there. Each line stands for itself: what is added is kept even if the run is killed the next moment. */
export function readKeptPassed(name: string, { texts }: Sources): KeptPassed {
  const textOf = new Map([...texts].map(([file, text]) => [file, hash('sha256', text).slice(0, 12)]));
  const parts = new Map<string, Part>();
  const cases = new Map<string, readonly string[]>();
  for (const line of readLines(name)) {
    if ('key' in line) cases.set(line.key, line.parts);
    else if (textOf.get(line.file) === line.text) parts.set(line.id, { file: line.file, places: line.places });
  }
  mkdirSync(path.dirname(name), { recursive: true });
  const add = (line: Line): void => {
    appendFileSync(name, `${JSON.stringify(line)}\n`);
  };
  // A run that was killed may have left half a line.
  appendFileSync(name, '\n');
  const idOf = (file: string, places: readonly number[]): string | undefined => {
    const text = textOf.get(file);
    if (text === undefined) return undefined;
    const id = hash('sha256', [file, text, ...places].join(' ')).slice(0, 12);
    if (!parts.has(id)) {
      parts.set(id, { file, places });
      add({ id, file, text, places });
    }
    return id;
  };
  return {
    of: (what) => {
      const found = cases.get(keyOf(what))?.map((id) => parts.get(id));
      return found?.every((part) => part !== undefined) === true ? found : undefined;
    },
    keep: (what, passed) => {
      const key = keyOf(what);
      const ids = [...passed].flatMap(([file, places]) => idOf(file, places) ?? []);
      cases.set(key, ids);
      add({ key, parts: ids });
    },
  };
}

/** What a case says, but for where it stands in its file. */
function keyOf(what: Followed): string {
  return what === 'start' ? what : hash('sha256', JSON.stringify({ ...what, at: undefined })).slice(0, 16);
}

function readLines(name: string): readonly Line[] {
  try {
    return readFileSync(name, 'utf8').split('\n').flatMap(parsed);
  } catch {
    return [];
  }
}

function parsed(line: string): Line | [] {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    return [];
  }
}
