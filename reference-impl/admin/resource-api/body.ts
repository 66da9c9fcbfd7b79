import type { IncomingMessage } from 'node:http';
import { MAX_OBJECT_BYTES, shapeViolations } from '../../admission/shape.ts';
import { pathText } from '../../admission/violation.ts';
import { type Fields, isFields } from '../../resources/groups.ts';
import { readDocument } from '../../store/sources/file-text.ts';
import type { JsonAnswer } from './answer.ts';
import { PROTOBUF, readProtobuf } from './protobuf.ts';
import { badRequest, tooLarge, unsupportedMediaType } from './status-errors.ts';
import type { ServedKind } from './served-kinds.ts';
import { countValues } from './value-count.ts';

/** Bytes a body may have: one object and no more. */
const BODY_LIMIT = MAX_OBJECT_BYTES;

/**
 * Values one object or patch may have, with all that is in it: checking and owning them takes tens of microseconds each, in
 * which no request is served. docs/decisions/resource-api.md
 */
const VALUE_LIMIT = 10_000;

/** For a thousand endpoints, as many as an API server takes, with all that may stand in one: they are owned as one list, and cheap. */
const LARGER_LIMITS: ReadonlyMap<string, number> = new Map([['EndpointSlice', 30_000]]);

/** Values an object of that kind, or a patch of one, may have. */
export function valueLimit({ name }: Pick<ServedKind, 'name'>): number {
  return LARGER_LIMITS.get(name) ?? VALUE_LIMIT;
}

/** Characters of a body that is YAML, or JSON that only the YAML reader can judge: up to ten microseconds each. */
const YAML_LIMIT = 64 * 1024;

/** A body that was read to its end. */
export interface SentBody {
  /** In lower case, without parameters; empty when the client does not say. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** The bytes as text; empty for formats that are no text. */
  readonly text: string;
}

/** The body, or why it cannot be used. */
export type ReadBody =
  | { readonly ok: true; readonly body: SentBody }
  | { readonly ok: false; readonly answer: JsonAnswer };

export type ReadValue<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly answer: JsonAnswer };

/** Reads a body to its end, at most `BODY_LIMIT` bytes. Rejects when the client breaks off. */
export async function readBody(request: IncomingMessage): Promise<ReadBody> {
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding !== 'identity') {
    return { ok: false, answer: unsupportedMediaType(`content-encoding ${coding} is not supported`) };
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    if (size > BODY_LIMIT) return { ok: false, answer: tooLarge(`the body may have ${BODY_LIMIT} bytes`) };
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const mediaType = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === PROTOBUF) return { ok: true, body: { mediaType, bytes, text: '' } };
  try {
    return { ok: true, body: { mediaType, bytes, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) } };
  } catch {
    return { ok: false, answer: badRequest('the body is not valid UTF-8') };
  }
}

/** The media types an object may be sent in as text; who does not say sends JSON, and the reader takes YAML as well. */
const OBJECT_TYPES: readonly string[] = ['application/json', 'application/yaml'];

/** The object of a body that creates or replaces one. */
export function readObject({ mediaType, bytes, text }: SentBody, most = VALUE_LIMIT): ReadValue<Fields> {
  if (mediaType === PROTOBUF) {
    const read = readProtobuf(bytes);
    if ('refused' in read) return { ok: false, answer: badRequest(`error decoding the body: ${read.refused}`) };
    const refused = unfit(read.object, most);
    return refused === undefined ? { ok: true, value: read.object } : { ok: false, answer: refused };
  }
  if (mediaType === '' || OBJECT_TYPES.includes(mediaType)) return parseFields(text, most);
  return { ok: false, answer: unknownFormat([...OBJECT_TYPES, PROTOBUF]) };
}

/** The refusal of a media type that is none of these. */
export function unknownFormat(accepted: readonly string[]): JsonAnswer {
  const list = accepted.join(', ');
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${list}`,
  );
}

/** One object in JSON or YAML: repeated keys, endless aliases and what is nested too deep are refused. */
export function parseFields(text: string, most = VALUE_LIMIT): ReadValue<Fields> {
  const read = readDocument(text, YAML_LIMIT);
  if (!read.ok) {
    const problems = read.problems.map(({ position, message }) => `line ${position.line}: ${message}`).join('; ');
    return { ok: false, answer: badRequest(`error decoding the body: ${problems}`) };
  }
  if (!isFields(read.value)) return { ok: false, answer: badRequest('the body must be an object') };
  const refused = unfit(read.value, most);
  return refused === undefined ? { ok: true, value: read.value } : { ok: false, answer: refused };
}

/** The list of operations of a JSON patch. */
export function parseOperations(text: string, most: number): ReadValue<readonly unknown[]> {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return { ok: false, answer: badRequest('a JSON patch is a list of operations') };
    const refused = unfit(value, most);
    return refused === undefined ? { ok: true, value } : { ok: false, answer: refused };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, answer: badRequest(`error decoding the body: ${why}`) };
  }
}

/** Nothing after this may recurse deeper than a resource can be, or be busy for long. */
export function unfit(value: unknown, most: number): JsonAnswer | undefined {
  if (countValues(value, most) > most) return tooLarge(`the object or patch may have ${most} values`);
  const [first] = shapeViolations(value);
  if (first === undefined) return undefined;
  const text = pathText(first.path);
  return badRequest(`error decoding the body: ${text.slice(0, 200)}: ${first.message}`);
}
