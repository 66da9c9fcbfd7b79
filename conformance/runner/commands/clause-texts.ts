import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClauseText } from '../report/events.ts';
import { isObject } from '../values/json.ts';
import { packageRoot } from '../values/package-root.ts';

/**
 * Statement and source of a clause by its id. Only the file of its area is read, when the first failure asks for it: reading
 * the whole register would cost a part of the time to the first verdict that a green run never needs.
 */
export async function clauseTexts(): Promise<(id: string) => ClauseText | undefined> {
  const folder = path.join(packageRoot(), 'docs/spec/clauses');
  const { parse } = await import('yaml');
  const areas = new Map<string, ReadonlyMap<string, ClauseText>>();
  return (id) => {
    const area = id.replace(/-\d+$/, '');
    const known = areas.get(area) ?? readArea(folder, area, parse);
    areas.set(area, known);
    return known.get(id);
  };
}

function readArea(folder: string, area: string, parse: (text: string) => unknown): ReadonlyMap<string, ClauseText> {
  const file = path.join(folder, `${area}.yaml`);
  if (!existsSync(folder) || !readdirSync(folder).includes(`${area}.yaml`)) return new Map();
  const content = parse(readFileSync(file, 'utf8'));
  const clauses = isObject(content) && Array.isArray(content['clauses']) ? content['clauses'] : [];
  return new Map(clauses.filter(isObject).map((clause) => [String(clause['id']), textOf(clause)]));
}

function textOf(clause: Readonly<Record<string, unknown>>): ClauseText {
  const source = isObject(clause['source']) ? clause['source'] : {};
  return {
    statement: String(clause['statement']),
    source: `${String(source['document'])} line ${String(source['line'])}`,
  };
}
