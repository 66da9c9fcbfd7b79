import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { isList, isObject } from '../values/json.ts';
import { remembered } from '../values/remembered.ts';
import type { Clause, Register } from './register.ts';

const ENTRY = /^ {2}- id: ([A-Z0-9]+-\d{3})\n {4}level: (MUST|DEFAULT|MAY|UNSPECIFIED)$/gm;

/**
 * Only id and level of each clause, for `conform run`, where reading 1,270 whole clauses would cost a third of the time
 * to the first verdict. Relies on the layout of the files; a test compares it with the full register.
 */
export async function readLevels(folder: string): Promise<ReadonlyMap<string, Pick<Clause, 'level'>>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const texts = await Promise.all(files.map((name) => readFile(path.join(folder, name), 'utf8')));
  return new Map(texts.flatMap((text) => [...text.matchAll(ENTRY)].flatMap(([, id, level]) => entry(id, level))));
}

/** The part of the register that cases are linted against. */
export interface LintRegister {
  readonly clauses: ReadonlyMap<string, Pick<Clause, 'level'>>;
  readonly features: readonly Pick<Register['features'][number], 'id'>[];
  readonly openPoints: readonly Pick<Register['openPoints'][number], 'id'>[];
}

/** Everything the lint needs, read quickly from `docs/spec`; `loadRegister` reads the same files whole. */
export async function readLintRegister(folder: string): Promise<LintRegister> {
  const [clauses, features, openPoints] = await Promise.all([
    readLevels(path.join(folder, 'clauses')),
    readIds(path.join(folder, 'features.yaml')),
    readIds(path.join(folder, 'open-points.yaml')),
  ]);
  return { clauses, features, openPoints };
}

async function readIds(file: string): Promise<readonly { readonly id: string }[]> {
  return remembered('ids', await readFile(file, 'utf8'), (text) => {
    const content: unknown = parse(text);
    return isList(content) ? content.filter(isObject).map((item) => ({ id: String(item['id']) })) : [];
  });
}

function entry(
  id: string | undefined,
  level: string | undefined,
): readonly (readonly [string, Pick<Clause, 'level'>])[] {
  const known = (['MUST', 'DEFAULT', 'MAY', 'UNSPECIFIED'] as const).find((name) => name === level);
  return id === undefined || known === undefined ? [] : [[id, { level: known }]];
}
