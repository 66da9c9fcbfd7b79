import type { JsonObject } from '../../values/json.ts';
import { AuthoringError } from '../../values/authoring-error.ts';
import type { Path } from '../../values/check.ts';
import { globExpression } from '../../values/glob.ts';
import { nearest } from '../../values/nearest.ts';
import { once } from '../../values/once.ts';
import { namespaceOf } from '../vary.ts';
import type { Level } from '../../verdict/verdict.ts';
import { shownByFields } from '../../clauses/foundations.ts';
import type { Citation, ConcreteCase } from '../concrete-case.ts';
import { boundaryRows, type Row } from './boundary-rows.ts';
import { fieldTable } from './field-table.ts';
import { fragments } from './fragments.ts';

/** What a written case with `generate` gives to every case made from it. */
export interface Frame {
  readonly suite: string;
  readonly file: string;
  readonly clauses: readonly Citation[];
  readonly kinds: readonly string[] | undefined;
  /** Defect to a glob over the ids of the cases that would catch it. */
  readonly kills: Readonly<Record<string, string>>;
  readonly needs: readonly string[];
  readonly at: Path;
  readonly position: ConcreteCase['position'];
  readonly levelOf: (clauses: readonly Citation[]) => Level | undefined;
}

let rows: readonly Row[] | undefined;

/**
 * Every boundary of every field as a concrete case: the resource and its twin, which differ in one place. Throws AuthoringError for a
 * kind that the table does not have, and a defect that none of the cases would catch.
 */
export function generatedCases(frame: Frame): readonly ConcreteCase[] {
  rows ??= boundaryRows(fieldTable(), fragments());
  const kills = Object.entries(frame.kills).map(([defect, glob]) => [defect, globExpression(glob)] as const);
  requireKinds(frame, rows);
  const cases = rows.flatMap((row) =>
    frame.kinds === undefined || frame.kinds.includes(kindOf(row)) ? [concreteCase(row, frame, kills)] : [],
  );
  const caught = new Set(cases.flatMap((one) => one.kills));
  const idle = kills.find(([defect]) => !caught.has(defect))?.[0];
  if (idle === undefined) return cases;
  throw new AuthoringError('no generated case has an id like this', [...boundariesOf(frame), 'kills', idle]);
}

function requireKinds(frame: Frame, all: readonly Row[]): void {
  const known = new Set(all.map(kindOf));
  const index = frame.kinds?.findIndex((kind) => !known.has(kind)) ?? -1;
  const unknown = frame.kinds?.[index];
  if (unknown === undefined) return;
  const hint = nearest(unknown, [...known]);
  const message = `the table of fields has no ${unknown}${hint === undefined ? '' : `, did you mean ${hint}?`}`;
  throw new AuthoringError(message, [...boundariesOf(frame), 'kinds', index]);
}

function boundariesOf({ at }: Frame): Path {
  return [...at, 'generate', 'boundaries'];
}

function kindOf({ key }: Row): string {
  return key.split('.')[0] ?? '';
}

function concreteCase(row: Row, frame: Frame, kills: readonly (readonly [string, RegExp])[]): ConcreteCase {
  const id = `${row.baseId}[${row.name}]`;
  const namespace = namespaceOf(id);
  const clauses = row.clauses.length > 0 ? row.clauses : frame.clauses;
  const at = [...frame.at, 'generate'];
  // There are thousands: what they hold is built for those that run.
  const pair = once(() => ({ twin: row.twin(), resource: row.resource() }));
  const steps = once(() => [
    { ...step('twin', pair().twin, !row.accepted, at), control: true as const },
    step(row.accepted ? 'right' : 'wrong', pair().resource, row.accepted, at),
  ]);
  return {
    id,
    baseId: row.baseId,
    suite: frame.suite,
    title: `${row.key} is ${row.accepted ? 'accepted' : 'refused'}`,
    file: frame.file,
    clauses,
    level: frame.levelOf(clauses) ?? 'must',
    layer: 'op',
    isolation: 'host',
    needs: [...new Set([...frame.needs, 'op.validate', ...row.needs])],
    assumes: row.assumes,
    get requires() {
      return shownByFields(Object.values(pair()));
    },
    kills: kills.flatMap(([defect, glob]) => (glob.test(id) ? [defect] : [])),
    generated: true,
    witness: [],
    row: {},
    namespace,
    host: `${namespace}.test`,
    topology: { listeners: [], listenerSets: [], routes: [] },
    config: [],
    peers: {},
    get steps() {
      return steps();
    },
    expect: {},
    at: frame.at,
    position: frame.position,
  };
}

function step(id: string, resource: JsonObject, accepted: boolean, at: Path): ConcreteCase['steps'][number] {
  const input = { validate: { resource, asWritten: true } };
  return { id, kind: 'op', input, expect: { result: { accepted } }, at };
}
