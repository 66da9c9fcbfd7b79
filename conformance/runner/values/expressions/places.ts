import { isList, isObject } from '../json.ts';
import { fitter, type Place } from '../place.ts';
import { once } from '../once.ts';
import { vocabulary } from './vocabulary.ts';

const fitters = once(() => vocabulary().places.map(fitter));
const headerFitters = once(() => vocabulary().headers.map(fitter));

/** Kinds of the documents: what stands in others is not looked at. */
const KINDS: ReadonlySet<unknown> = new Set(['ProxyBackend', 'ProxyModel', 'ProxyPolicy']);

/**
 * A resource with each of its expressions changed, or what stands at a place inside one (`ProxyPolicy.spec.traffic`). Canonical names are
 * expected.
 */
export function mapExpressionsAt(value: unknown, root: Place, change: Change): unknown {
  if (root !== undefined) return mapBelow(value, root, change);
  if (!isObject(value) || !KINDS.has(value['kind'])) return value;
  return mapBelow(value, [String(value['kind'])], change);
}

/** What becomes of an expression at a place. */
export type Change = (text: string, place: Place) => string;

/** The expressions of a resource whose value becomes a header. */
export function headerExpressionsIn(resource: unknown): readonly string[] {
  const found: string[] = [];
  mapExpressionsAt(withoutStatus(resource), undefined, (text, place) => {
    if (headerFitters().some((fits) => fits(place))) found.push(text);
    return text;
  });
  return found;
}

/** A status is a number, so that an expression for `:status` may give one. */
function withoutStatus(value: unknown): unknown {
  if (isList(value)) return value.map(withoutStatus);
  if (!isObject(value)) return value;
  return value['name'] === ':status'
    ? undefined
    : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutStatus(item)]));
}

/** The expressions of a resource. */
export function expressionsIn(resource: unknown): readonly string[] {
  const found: string[] = [];
  mapExpressionsAt(resource, undefined, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

function mapBelow(value: unknown, place: readonly string[], change: Change): unknown {
  if (typeof value === 'string') return isExpression(place) ? change(value, place) : value;
  if (isList(value)) return value.map((item) => mapBelow(item, place, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapBelow(item, [...place, name], change)]),
  );
}

function isExpression(place: Place): boolean {
  return fitters().some((fits) => fits(place));
}
