import { createHash } from 'node:crypto';
import { isObject } from '../values/json.ts';
import type { JsonObject } from '../values/json.ts';
import { show } from '../values/show.ts';
import type { WrittenCase } from './schema.ts';

/** One choice of everything a case varies. */
export interface Variant {
  /** What stands in the brackets of the id; absent for a case that varies nothing. */
  readonly name?: string;
  readonly row: JsonObject;
  readonly config: readonly unknown[];
}

const MAX_PERMUTED = 4;

/** Rows, times the combinations of the matrix, times the orders of `config`; the names are joined with commas. */
export function variants(vary: WrittenCase['vary'], config: readonly unknown[]): readonly Variant[] {
  const rows = (vary?.rows ?? [undefined]).map((row) => (row === undefined ? { row: {} } : { name: row.name, row }));
  const cells = combinations(vary?.matrix ?? {});
  const orders: readonly Order[] = vary?.permute === undefined ? [{ config }] : permutations(config);
  return rows.flatMap((row) =>
    cells.flatMap((cell) =>
      orders.map((order) => ({
        ...nameOf([row, cell, order]),
        row: { ...cell.row, ...row.row },
        config: order.config,
      })),
    ),
  );
}

/** `c-` and eight hex digits: the namespace and the host label of a concrete case, stable for its id, in a cluster for its id and the run. */
export function namespaceOf(id: string, run = ''): string {
  return `c-${createHash('sha256').update(`${run}${id}`).digest('hex').slice(0, 8)}`;
}

function nameOf(parts: readonly { readonly name?: string }[]): { readonly name?: string } {
  const names = parts.flatMap(({ name }) => (name === undefined ? [] : [name]));
  return names.length === 0 ? {} : { name: names.join(',') };
}

interface Cell {
  readonly name?: string;
  readonly row: JsonObject;
}

function combinations(matrix: Readonly<Record<string, readonly unknown[]>>): readonly Cell[] {
  return Object.entries(matrix).reduce<readonly Cell[]>(
    (cells, [key, values]) =>
      cells.flatMap((cell) =>
        values.map((value, index) => ({
          name: [cell.name, cellName(value, index, values)].filter((part) => part !== undefined).join(','),
          row: { ...cell.row, [key]: value },
        })),
      ),
    [{ row: {} }],
  );
}

// A value without letters or digits, or one that reads like another, is told apart by its place.
function cellName(value: unknown, index: number, values: readonly unknown[]): string {
  const names = values.map(plainName);
  const own = plainName(value);
  return own === '' || names.filter((name) => name === own).length > 1 ? `${own === '' ? 'v' : own}-${index + 1}` : own;
}

function plainName(value: unknown): string {
  const text = isObject(value) ? show(value['name']) : typeof value === 'string' ? value : JSON.stringify(value);
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
}

interface Order {
  readonly name?: string;
  readonly config: readonly unknown[];
}

function permutations(config: readonly unknown[]): readonly Order[] {
  const orders = config.length <= MAX_PERMUTED ? allOrders(config) : config.map((_, start) => rotate(config, start));
  return orders.map((order, index) => ({ name: `order-${index + 1}`, config: order }));
}

function allOrders(items: readonly unknown[]): readonly (readonly unknown[])[] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) => allOrders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

function rotate(items: readonly unknown[], start: number): readonly unknown[] {
  return [...items.slice(start), ...items.slice(0, start)];
}
