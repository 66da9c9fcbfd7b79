import type { JsonObject } from '../../values/json.ts';
import type { Path } from '../../values/check.ts';
import type { Level } from '../../verdict/verdict.ts';
import type { Citation, ConcreteCase } from '../concrete-case.ts';
import { globExpression } from '../../values/glob.ts';
import { namespaceOf } from '../vary.ts';
import { createBuilder, lastName } from './build.ts';
import { fieldCandidates, groupCandidates, type Candidate, type Ground } from './candidates.ts';
import { fieldTable, groupsOf, typeParts, type Field, type FieldTable } from './field-table.ts';
import { fragments, skips, type Fragments } from './fragments.ts';
import { kebab } from './kebab.ts';
import { findPlaces, isStatus, type Place } from './places.ts';

/** A generated case without what it shares with the others of its file. */
export interface Row {
  /** `StaticBackend.port[max-plus-one]`. */
  readonly key: string;
  readonly baseId: string;
  readonly name: string;
  readonly accepted: boolean;
  /** The resource that is right in every way, or, for a right one, one that is wrong in this field. */
  readonly twin: JsonObject;
  readonly resource: JsonObject;
  readonly clauses: readonly Citation[];
  readonly needs: readonly string[];
  readonly assumes: readonly string[];
}

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

/** Every boundary of every field as a concrete case: the resource and its twin, which differ in one place. */
export function generatedCases(frame: Frame): readonly ConcreteCase[] {
  rows ??= boundaryRows(fieldTable(), fragments());
  const kills = Object.entries(frame.kills).map(([defect, glob]) => [defect, globExpression(glob)] as const);
  return rows.flatMap((row) => {
    if (frame.kinds !== undefined && !frame.kinds.includes(row.key.split('.')[0] ?? '')) return [];
    return [concreteCase(row, frame, kills)];
  });
}

/** The rows of a table, in its order. */
export function boundaryRows(table: FieldTable, given: Fragments): readonly Row[] {
  const ground: Ground = { table, fragments: given, builder: createBuilder(table, given) };
  const isSkipped = skips(given);
  return [...findPlaces(table, given)].flatMap(([kind, place]) =>
    rowsOf(kind, place, ground).filter(({ key }) => !isSkipped(key)),
  );
}

function rowsOf(kind: string, place: Place, ground: Ground): readonly Row[] {
  const { table, builder } = ground;
  const fields = table.of(kind).filter(({ path }) => path !== '(inline)' && !isStatus({ kind, path }));
  const ofFields = fields.flatMap((field) => {
    const beside = partners(field, table).map((other) => [other.path, { value: builder.valueOf(other) }] as const);
    const usual: Candidate['leaves'] = [...beside, [field.path, { value: builder.valueOf(field) }]];
    const candidates = fieldCandidates(field, ground).map((one) => ({ ...one, leaves: [...beside, ...one.leaves] }));
    return pairUp(`${kind}.${field.path}`, usual, candidates, place, ground, field);
  });
  const ofGroups = [...groupCandidates(kind, ground)].flatMap(([group, candidates]) => {
    const usual = candidates.find(({ accepted, name }) => accepted && name !== 'none')?.leaves ?? [];
    const field = table.find(kind, candidates[1]?.leaves.at(-1)?.[0] ?? '');
    return pairUp(groupKey(kind, group, field), usual, candidates, place, ground, field);
  });
  return [...ofFields, ...ofGroups];
}

/** The fields that have to stand beside this one, because a group wants all or none. */
function partners(field: Field, table: FieldTable): readonly Field[] {
  const groups = groupsOf(field).flatMap(({ name, rule }) => (rule === 'all-or-none' ? [name] : []));
  return table
    .of(field.kind)
    .filter((other) => other !== field && groupsOf(other).some(({ name }) => groups.includes(name)));
}

// A group is named by the object it stands in; two groups of one object by the member they begin with.
function groupKey(kind: string, group: string, field: Field | undefined): string {
  const parent = field === undefined ? '' : field.path.slice(0, -lastName(field.path).length);
  const member = /#([^:]+)/.exec(group)?.[1];
  return `${kind}.${parent}exclusive${member === undefined ? '' : `-${member}`}`;
}

// What is right is shown beside something wrong in the same place, and what is wrong beside something right: an
// implementation that says yes to everything, or no, passes none of them.
function pairUp(
  key: string,
  usual: Candidate['leaves'],
  candidates: readonly Candidate[],
  place: Place,
  { table, builder }: Ground,
  field: Field | undefined,
): readonly Row[] {
  const kind = key.split('.')[0] ?? '';
  const build = (leaves: Candidate['leaves']): JsonObject => builder.resource(place, kind, leaves);
  const wrong = candidates.find(({ accepted }) => !accepted);
  if (wrong === undefined) return [];
  const refused = build(wrong.leaves);
  const right = build(usual);
  return candidates.map((candidate) => ({
    key: `${key}[${candidate.name}]`,
    baseId: `resources.generated.${kebab(kind)}.${kebab(key.slice(kind.length + 1))}`,
    name: candidate.name,
    accepted: candidate.accepted,
    twin: candidate.accepted ? refused : right,
    resource: build(candidate.leaves),
    clauses: citations(candidate, field, table),
    needs: place.needs,
    assumes: place.assumes,
  }));
}

function citations(candidate: Candidate, field: Field | undefined, table: FieldTable): readonly Citation[] {
  const { item } = typeParts(field?.type ?? '');
  const scalar = table.find(item, '.')?.clauses;
  const own = field?.clauses;
  const ofItem = candidate.name.startsWith('item-')
    ? [own?.[candidate.rule], scalar?.[candidate.rule], scalar?.['any']]
    : [];
  const id = [...ofItem, own?.[candidate.rule], own?.['any'], scalar?.[candidate.rule], scalar?.['any']].find(
    (clause) => clause !== undefined,
  );
  if (id === undefined) return [];
  if (BOTH.has(candidate.rule)) return (['positive', 'negative'] as const).map((as) => ({ id, as }));
  return [{ id, as: candidate.accepted ? 'positive' : 'negative' }];
}

// For these a case and its twin together say what the clause says; a bound has a case on each side of it.
const BOTH: ReadonlySet<string> = new Set(['required', 'none', 'many', 'partial', 'default']);

function concreteCase(row: Row, frame: Frame, kills: readonly (readonly [string, RegExp])[]): ConcreteCase {
  const id = `${row.baseId}[${row.name}]`;
  const namespace = namespaceOf(id);
  const clauses = row.clauses.length > 0 ? row.clauses : frame.clauses;
  const at = [...frame.at, 'generate'];
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
    kills: kills.flatMap(([defect, glob]) => (glob.test(id) ? [defect] : [])),
    generated: true,
    witness: [],
    row: {},
    namespace,
    host: `${namespace}.test`,
    topology: { listeners: [], listenerSets: [], routes: [] },
    config: [],
    peers: {},
    steps: [
      step('twin', row.twin, !row.accepted, at, true),
      step(row.accepted ? 'right' : 'wrong', row.resource, row.accepted, at),
    ],
    expect: {},
    at: frame.at,
    position: frame.position,
  };
}

function step(
  id: string,
  resource: JsonObject,
  accepted: boolean,
  at: Path,
  control?: true,
): ConcreteCase['steps'][number] {
  const input = { validate: { resource, asWritten: true } };
  return { id, kind: 'op', input, expect: { result: { accepted } }, at, ...(control === undefined ? {} : { control }) };
}
