import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { isList, isObject } from '../values/json.ts';
import { remembered } from '../values/remembered.ts';

/** What the register needs to know of a defect of the gallery. */
export interface DefectEntry {
  readonly id: string;
  readonly clauses: readonly string[];
  readonly file: string;
}

/**
 * The defects under `conformance/gallery`: each YAML file holds a list of them, a member `defects` with the list,
 * or one defect. Undefined when there is none yet, so that cases may name what they will kill.
 */
export async function loadDefects(folder: string): Promise<readonly DefectEntry[] | undefined> {
  const names = (await readdir(folder, { recursive: true }).catch(() => [])).filter((name) => /\.ya?ml$/.test(name));
  const files = await Promise.all(
    names.toSorted().map(async (name) => {
      const text = await readFile(path.join(folder, name), 'utf8');
      return remembered(`defects ${name}`, text, (written) => entriesOf(name, parse(written)));
    }),
  );
  const entries = files.flat();
  return entries.length === 0 ? undefined : entries;
}

function entriesOf(file: string, content: unknown): readonly DefectEntry[] {
  if (isList(content)) return content.flatMap((item) => entriesOf(file, item));
  if (!isObject(content)) return [];
  if (isList(content['defects'])) return entriesOf(file, content['defects']);
  if (typeof content['id'] !== 'string') return [];
  const { clauses, clause } = content;
  const cited = isList(clauses) ? clauses.map(String) : typeof clause === 'string' ? [clause] : [];
  return [{ id: content['id'], clauses: cited, file }];
}
