import { typeParts, type Field, type FieldTable } from './field-table.ts';
import type { Fragments } from './fragments.ts';

/** One step down: the field of a kind under which the next block stands. */
export interface Hop {
  readonly kind: string;
  readonly path: string;
  readonly wrap?: 'list' | 'map';
}

/** The way from a resource to a building block, and what an implementation must offer for it to exist there. */
export interface Place {
  readonly hops: readonly Hop[];
  readonly needs: readonly string[];
  readonly assumes: readonly string[];
}

/** Breadth first in this order: what a policy holds is looked for in a policy. */
export const RESOURCE_KINDS: readonly string[] = ['ProxyPolicy', 'ProxyBackend', 'ProxyModel', 'ProxyParameters'];

/**
 * The shortest way from a resource to every building block that can be reached, or the one that is written for it; the resources themselves
 * have no hops.
 */
export function findPlaces(table: FieldTable, fragments: Fragments): ReadonlyMap<string, Place> {
  const found = new Map<string, Place>(RESOURCE_KINDS.map((kind) => [kind, { hops: [], needs: [], assumes: [] }]));
  const queue = [...RESOURCE_KINDS];
  for (let kind = queue.shift(); kind !== undefined; kind = queue.shift()) {
    const own = found.get(kind);
    if (own === undefined) continue;
    for (const { type, hop, ...conditions } of below(kind, table, fragments)) {
      if (found.has(type) || !isWhereWritten(type, hop, fragments)) continue;
      found.set(type, extendPlace(own, hop, conditions));
      queue.push(type);
    }
  }
  return found;
}

function isWhereWritten(type: string, { kind, path }: Hop, { places }: Fragments): boolean {
  const written = places[type]?.at.replace(/\[\]$/, '');
  return written === undefined || written === `${kind}.${path}`;
}

/** A field with a building block that other fields have too. */
export interface FurtherPlace {
  readonly owner: string;
  readonly path: string;
  readonly block: string;
  readonly place: Place;
}

/** The ways to a building block beside the shortest: one for each further field that has it as its type. */
export function furtherPlaces(
  found: ReadonlyMap<string, Place>,
  table: FieldTable,
  fragments: Fragments,
): readonly FurtherPlace[] {
  return [...found].flatMap(([owner, own]) =>
    below(owner, table, fragments).flatMap(({ type: block, hop, ...conditions }) => {
      const first = found.get(block)?.hops.at(-1);
      if (first?.kind === hop.kind && first.path === hop.path) return [];
      return [{ owner, path: hop.path, block, place: extendPlace(own, hop, conditions) }];
    }),
  );
}

/** One step down from such a place: where a block consists of other blocks only. */
export function placesBelow(
  { owner, path, block, place }: FurtherPlace,
  table: FieldTable,
  fragments: Fragments,
): readonly FurtherPlace[] {
  return below(block, table, fragments).map(({ type, hop, ...conditions }) => ({
    owner,
    path: `${path}.${hop.path}`,
    block: type,
    place: extendPlace(place, hop, conditions),
  }));
}

function extendPlace(
  { hops, needs, assumes }: Place,
  hop: Hop,
  more: { readonly needs?: readonly string[] | undefined; readonly assumes?: readonly string[] | undefined },
): Place {
  return {
    hops: [...hops, hop],
    needs: [...needs, ...(more.needs ?? [])],
    assumes: [...assumes, ...(more.assumes ?? [])],
  };
}

/** What the controller writes is not submitted. */
export function isStatus({ kind, path }: Pick<Field, 'kind' | 'path'>): boolean {
  return RESOURCE_KINDS.includes(kind) && /^status(\.|$)/.test(path);
}

interface Below {
  readonly type: string;
  readonly hop: Hop;
  readonly needs?: readonly string[] | undefined;
  readonly assumes?: readonly string[] | undefined;
}

function below(kind: string, table: FieldTable, { places }: Fragments): readonly Below[] {
  const written = Object.entries(places).flatMap(([type, { at, ...rest }]) => {
    const [owner = '', ...path] = at.split('.');
    const place = path.join('.');
    const hop = place.endsWith('[]')
      ? { kind, path: place.slice(0, -2), wrap: 'list' as const }
      : { kind, path: place };
    return owner === kind ? [{ type, hop, ...rest }] : [];
  });
  const stated = table.of(kind).flatMap((field) => {
    const { wrap, item } = typeParts(field.type);
    if (!table.isBlock(item) || isStatus(field) || field.path === '(inline)') return [];
    if (written.some(({ type, hop }) => type === item && hop.path === field.path)) return [];
    return [{ type: item, hop: { kind, path: field.path, ...(wrap === undefined ? {} : { wrap }) } }];
  });
  return [...written, ...stated];
}
