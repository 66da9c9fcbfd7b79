import { fieldTable, typeParts, type Field as Row, type FieldTable } from '../case/generate/field-table.ts';
import { fragments, skips, type Fragments } from '../case/generate/fragments.ts';
import type { Field } from './fields.ts';

/**
 * The value that holds when the field is left out, as `docs/spec/fields.yaml` gives it; undefined where there is none, or where what
 * the document writes as a default is no value of the field.
 */
export function fieldDefault(
  { kind, path }: Field,
  table: FieldTable = fieldTable(),
  given: Fragments = fragments(),
): { readonly value: unknown } | undefined {
  const row = rowAt(kind, path, table, given);
  if (row?.default === undefined || skips(given)(`${row.kind}.${row.path}[default-given]`)) return undefined;
  return { value: row.default };
}

// VERSION-009: the fields of Traffic after extProc are not shown. Most have a place in the fragments; this one stands elsewhere too.
const CARRIED: Readonly<Record<string, string>> = { 'Traffic.authorization': 'Authorization' };

/** Blocks of which the document does not show every field, so that cases deliver fields of our choice. */
const OPEN: ReadonlySet<string> = new Set(['ExtProc', 'Retry', 'Traffic']);

/**
 * Whether the document gives the kind this field. Cases deliver others to see them refused; members of types that the document does not
 * show count as given, and so do those of blocks that it does
 * not show in full.
 */
export function isFieldOfTheKind(
  { kind, path }: Field,
  table: FieldTable = fieldTable(),
  given: Fragments = fragments(),
): boolean {
  if (!table.isBlock(kind) || table.find(kind, path) !== undefined) return true;
  if (typesAt(kind, path, table, given).length > 0) return true;
  if (inlineTypes(kind, table).some((type) => isFieldOfTheKind({ kind: type, path }, table, given))) return true;
  for (let cut = path.lastIndexOf('.'); cut > 0; cut = path.lastIndexOf('.', cut - 1)) {
    const at = path.slice(0, cut);
    const types = typesAt(kind, at, table, given);
    const rest = path.slice(cut + 1);
    if (types.length > 0) return types.some((type) => isFieldOfTheKind({ kind: type, path: rest }, table, given));
    // An object whose members the table lists has no others; one without is open.
    if (table.find(kind, at.replace(/\[\]$/, '')) !== undefined)
      return !table.of(kind).some((row) => row.path.startsWith(`${at}.`));
  }
  return OPEN.has(kind);
}

/** The row of a field, found by the types of the fields above it. */
function rowAt(kind: string, path: string, table: FieldTable, given: Fragments): Row | undefined {
  const own = table.find(kind, path);
  if (own !== undefined) return own;
  for (const inline of inlineTypes(kind, table)) {
    const row = rowAt(inline, path, table, given);
    if (row !== undefined) return row;
  }
  for (let cut = path.lastIndexOf('.'); cut > 0; cut = path.lastIndexOf('.', cut - 1)) {
    for (const type of typesAt(kind, path.slice(0, cut), table, given)) {
      const row = rowAt(type, path.slice(cut + 1), table, given);
      if (row !== undefined) return row;
    }
  }
  return undefined;
}

/** The blocks that may stand at a place: that of its row, and those whose place the document does not name. */
function typesAt(kind: string, at: string, table: FieldTable, { places }: Fragments): readonly string[] {
  const owner = `${kind}.${at}`;
  const named = Object.entries(places).flatMap(([type, place]) => (place.at === owner ? [type] : []));
  const carried = CARRIED[owner];
  const placed = carried === undefined ? named : [...named, carried];
  const row = table.find(kind, at.replace(/\[\]$/, ''));
  const { item } = typeParts(row?.type ?? '');
  return table.isBlock(item) && item !== kind ? [item, ...placed] : placed;
}

function inlineTypes(kind: string, table: FieldTable): readonly string[] {
  const { item } = typeParts(table.find(kind, '(inline)')?.type ?? '');
  return table.isBlock(item) ? [item] : [];
}
