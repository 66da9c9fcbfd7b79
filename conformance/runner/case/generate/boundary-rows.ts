import type { JsonObject } from '../../values/json.ts';
import type { Citation } from '../concrete-case.ts';
import { createBuilder, lastName } from './build.ts';
import { fieldCandidates, groupCandidates, type Candidate, type Ground } from './candidates.ts';
import { partners, typeParts, type Field, type FieldTable } from './field-table.ts';
import { skips, type Fragments } from './fragments.ts';
import { kebab } from './kebab.ts';
import { once } from '../../values/once.ts';
import { findPlaces, furtherPlaces, isStatus, placesBelow, type FurtherPlace, type Place } from './places.ts';

/** A generated case without what it shares with the others of its file. */
export interface Row {
  /** `StaticBackend.port[max-plus-one]`. */
  readonly key: string;
  readonly baseId: string;
  readonly name: string;
  readonly accepted: boolean;
  /** The resource that is right in every way, or, for a right one, one that is wrong in this field; built when asked for. */
  readonly twin: () => JsonObject;
  readonly resource: () => JsonObject;
  readonly clauses: readonly Citation[];
  readonly needs: readonly string[];
  readonly assumes: readonly string[];
}

/** What the id of every generated case begins with. */
export const GENERATED_IDS = 'resources.generated.';

/** The rows of a table, in its order. */
export function boundaryRows(table: FieldTable, given: Fragments): readonly Row[] {
  const ground: Ground = { table, fragments: given, builder: createBuilder(table, given) };
  const isSkipped = skips(given);
  const places = findPlaces(table, given);
  const said = (kind: string, place: Place): readonly Row[] =>
    rowsOf(kind, place, ground).filter(({ key }) => !isSkipped(key));
  return [
    ...[...places].flatMap(([kind, place]) => said(kind, place)),
    ...furtherPlaces(places, table, given)
      .flatMap((further) => {
        const rows = rowsInside(further, said(further.block, further.place));
        const deeper = rows.length > 0 ? [] : placesBelow(further, table, given);
        return [...rows, ...deeper.flatMap((below) => rowsInside(below, said(below.block, below.place)))];
      })
      .filter(({ key }) => !isSkipped(key)),
  ];
}

// A block is bounded in full where it stands first. Elsewhere it is enough to see that it is looked into: what it demands,
// one member at a time, and the first of its bounds.
function rowsInside({ owner, path, block }: FurtherPlace, own: readonly Row[]): readonly Row[] {
  const refused = own.filter(({ accepted, name }) => !accepted && !isOfType(name));
  const demanded = refused.filter(({ name }) => name === 'left-out' || name === 'none');
  const [bound] = refused.filter((row) => !demanded.includes(row));
  return [...demanded, ...(bound === undefined ? [] : [bound])].map((row) => {
    const name = kebab(row.key.slice(block.length + 1).replaceAll(/[.[\]]+/g, '-'));
    const baseId = `${GENERATED_IDS}${kebab(owner)}.${kebab(path)}`;
    return { ...row, key: `${owner}.${path}[inside-${name}]`, baseId, name: `inside-${name}` };
  });
}

// A value of another type tells less: whoever looks at no bounds may still refuse it.
function isOfType(name: string): boolean {
  return /(other-type|fraction)$/.test(name);
}

function rowsOf(kind: string, place: Place, ground: Ground): readonly Row[] {
  const { table, builder } = ground;
  const fields = table.of(kind).filter(({ path }) => path !== '(inline)' && !isStatus({ kind, path }));
  const ofFields = fields.flatMap((field) => {
    const beside = partners(field, table).map((other) => [other.path, { value: builder.valueOf(other) }] as const);
    const usual: Candidate['leaves'] = [...beside, [field.path, { value: builder.valueOf(field) }]];
    const candidates = fieldCandidates(field, ground).map((one) => ({ ...one, leaves: [...beside, ...one.leaves] }));
    return pairUp({ key: `${kind}.${field.path}`, usual, candidates, field }, place, ground);
  });
  const ofGroups = [...groupCandidates(kind, ground)].flatMap(([group, candidates]) => {
    const usual = candidates.find(({ accepted, name }) => accepted && name !== 'none')?.leaves ?? [];
    const field = table.find(kind, candidates[1]?.leaves.at(-1)?.[0] ?? '');
    return pairUp({ key: groupKey(kind, group, field), usual, candidates, field }, place, ground);
  });
  return [...ofFields, ...ofGroups];
}

// A group is named by the object it stands in; two groups of one object by the member they begin with.
function groupKey(kind: string, group: string, field: Field | undefined): string {
  const parent = field === undefined ? '' : field.path.slice(0, -lastName(field.path).length);
  const member = /#([^:]+)/.exec(group)?.[1];
  return `${kind}.${parent}exclusive${member === undefined ? '' : `-${member}`}`;
}

/** What is to be shown of one field or group. */
interface Bounded {
  readonly key: string;
  /** What is right in every way. */
  readonly usual: Candidate['leaves'];
  readonly candidates: readonly Candidate[];
  readonly field: Field | undefined;
}

// What is right is shown beside something wrong in the same place, and what is wrong beside something right: an
// implementation that says yes to everything, or no, passes none of them.
function pairUp({ key, usual, candidates, field }: Bounded, place: Place, { table, builder }: Ground): readonly Row[] {
  const kind = key.split('.')[0] ?? '';
  const build = (leaves: Candidate['leaves']): (() => JsonObject) => once(() => builder.resource(place, kind, leaves));
  const wrong = candidates.find(({ accepted }) => !accepted);
  if (wrong === undefined) return [];
  const refused = build(wrong.leaves);
  const right = build(usual);
  return candidates.map((candidate) => ({
    key: `${key}[${candidate.name}]`,
    baseId: `${GENERATED_IDS}${kebab(kind)}.${kebab(key.slice(kind.length + 1))}`,
    name: candidate.name,
    accepted: candidate.accepted,
    twin: candidate.accepted ? refused : right,
    resource: build(candidate.leaves),
    clauses: citations(candidate, field, table),
    needs: place.needs,
    assumes: place.assumes,
  }));
}

function citations(
  { name, rule, accepted }: Candidate,
  field: Field | undefined,
  table: FieldTable,
): readonly Citation[] {
  const own = field?.clauses ?? {};
  const scalar = table.find(typeParts(field?.type ?? '').item, '.')?.clauses ?? {};
  // What a field says of its bounds it says of the list; an item keeps to those of its scalar.
  const said = rule === 'min' || rule === 'max' ? [] : [own[rule]];
  const ofItem = name.startsWith('item-') ? [...said, scalar[rule], scalar['any']] : [];
  const id = [...ofItem, own[rule], own['any'], scalar[rule], scalar['any']].find((clause) => clause !== undefined);
  if (id === undefined) return [];
  if (BOTH.has(rule)) return (['positive', 'negative'] as const).map((as) => ({ id, as }));
  return [{ id, as: accepted ? 'positive' : 'negative' }];
}

// For these a case and its twin together say what the clause says; a bound has a case on each side of it.
const BOTH: ReadonlySet<string> = new Set(['required', 'none', 'many', 'partial', 'default']);
