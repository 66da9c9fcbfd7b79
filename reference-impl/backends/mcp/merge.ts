import { Buffer } from 'node:buffer';
import { asObject, asList, asString, isJson, type Json } from '../json.ts';

/** What one target answered. */
export interface Result {
  readonly target: string;
  readonly result: Json;
}

/**
 * MCP-001: several targets introduce themselves as one server: the lowest protocol version, what any of them can do,
 * and what each says of itself. docs/decisions/mcp-multiplexing.md
 */
export function mergeInitialize(results: readonly Result[]): Json {
  const versions = results
    .map(({ result }) => asString(result['protocolVersion']))
    .filter((each) => each !== undefined);
  const [lowest] = versions.toSorted();
  return {
    protocolVersion: lowest ?? LATEST,
    capabilities: mergeCapabilities(results.map(({ result }) => asObject(result['capabilities']) ?? {})),
    serverInfo: { name: 'refproxy', version: '1' },
    instructions: mergeInstructions(results),
  };
}

const LATEST = '2025-11-25';

/** A capability that one of them has, with every part that one of them has of it. */
function mergeCapabilities(all: readonly Json[]): Json {
  const merged = new Map<string, unknown>();
  for (const [name, value] of all.flatMap((each) => Object.entries(each))) {
    const before = merged.get(name);
    if (isJson(before) && isJson(value)) merged.set(name, mergeCapabilities([before, value]));
    else if (before === undefined || before === false) merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

const PREAMBLE = 'Several servers answer here. Names and URIs begin with the server they belong to.';

function mergeInstructions(results: readonly Result[]): string {
  const said = results.flatMap(({ target, result }) => {
    const text = asString(result['instructions']);
    return text === undefined || text === '' ? [] : [`[${target}]\n${text}`];
  });
  return [PREAMBLE, ...said].join('\n\n');
}

/** Where the lists of several targets go on: by target, what it gave as its next cursor. */
export type Cursors = ReadonlyMap<string, string>;

/** One cursor for several; undefined when every list is at its end. */
export function joinCursors(cursors: Cursors): string | undefined {
  return cursors.size === 0 ? undefined : Buffer.from(JSON.stringify([...cursors])).toString('base64url');
}

/** The cursors in one that `joinCursors` made; undefined for any other text. */
export function splitCursors(cursor: string): Cursors | undefined {
  const pairs = parsePairs(Buffer.from(cursor, 'base64url').toString());
  const found = pairs.flatMap(pairOf);
  return found.length === 0 ? undefined : new Map(found);
}

function parsePairs(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return asList(value);
  } catch {
    return [];
  }
}

function pairOf(value: unknown): readonly (readonly [string, string])[] {
  const [target, cursor] = asList(value);
  return typeof target === 'string' && typeof cursor === 'string' ? [[target, cursor]] : [];
}
