import { CelScalar, celList, celMap, celMethod, isCelList, listType, mapType } from '@bufbuild/cel';
import type { CelFunc, CelMap, CelValue } from '@bufbuild/cel';
import { keyText } from '../values.ts';

const { DYN, STRING } = CelScalar;
const MAP = mapType(DYN, DYN);
const LIST = listType(DYN);

/** Views of headers (`request.headers.join()["x"]`) and of the query of a URI. docs/decisions/cel-functions.md */
export const MESSAGE_FUNCTIONS: readonly CelFunc[] = [
  celMethod('join', MAP, [], MAP, function () {
    return lowerCased(mapValues(this, (values) => values.join(',')));
  }),
  celMethod('raw', MAP, [], MAP, function () {
    return lowerCased(mapValues(this, (values) => celList(values)));
  }),
  celMethod('split', MAP, [], MAP, function () {
    return lowerCased(mapValues(this, (values) => celList(values.flatMap(listMembers))));
  }),
  celMethod('cookie', MAP, [STRING], STRING, function (name) {
    return cookie(this, name);
  }),
  celMethod('query', STRING, [STRING], LIST, function (name) {
    const values = queryOf(this).getAll(name);
    if (values.length === 0) throw new Error(`no such key: ${name}`);
    return celList(values);
  }),
  celMethod('addQuery', STRING, [STRING, STRING], STRING, function (name, value) {
    return withQuery(this, (query) => query.append(name, value));
  }),
  celMethod('setQuery', STRING, [STRING, STRING], STRING, function (name, value) {
    return withQuery(this, (query) => query.set(name, value));
  }),
];

function listMembers(value: string): string[] {
  return value.split(',').map((part) => part.trim());
}

function mapValues(headers: CelMap, change: (values: readonly string[]) => CelValue): ReadonlyMap<string, CelValue> {
  return new Map(Array.from(headers, ([name, value]) => [keyText(name).toLowerCase(), change(texts(value))]));
}

/** Still looked up without regard to case. */
class LowerCased extends Map<string, CelValue> {
  override get(name: string): CelValue | undefined {
    return super.get(typeof name === 'string' ? name.toLowerCase() : name);
  }
}

function lowerCased(headers: ReadonlyMap<string, CelValue>): CelMap {
  return celMap(new LowerCased(headers));
}

function texts(value: CelValue | undefined): string[] {
  if (value === undefined) return [];
  return (isCelList(value) ? Array.from(value) : [value]).filter((member) => typeof member === 'string');
}

function cookie(headers: CelMap, name: string): string {
  for (const pair of texts(headers.get('cookie')).flatMap((line) => line.split(';'))) {
    const equals = pair.indexOf('=');
    if (equals >= 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  throw new Error(`no such key: ${name}`);
}

function queryOf(uri: string): URLSearchParams {
  const mark = uri.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : uri.slice(mark + 1));
}

function withQuery(uri: string, change: (query: URLSearchParams) => void): string {
  const query = queryOf(uri);
  change(query);
  const mark = uri.indexOf('?');
  return `${mark < 0 ? uri : uri.slice(0, mark)}?${query.toString()}`;
}
