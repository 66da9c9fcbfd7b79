import { z } from 'zod';
import { tokenSchema } from '../peers/token-schema.ts';
import { orPlaceholder } from './authoring.ts';

/** Methods of the short form `{GET: /path}`. Any other method is written `{method: PURGE, path: /}`. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'] as const;

const headerValue = z.union([z.string(), z.array(z.string()), z.number(), z.null()]);
const target = z.string().optional();
const shortForm = {
  GET: target,
  HEAD: target,
  POST: target,
  PUT: target,
  DELETE: target,
  PATCH: target,
  OPTIONS: target,
  TRACE: target,
};

/** Bytes in a case: a text, a fill of n bytes (interpolated to text), or base64. Null is no body. */
export const bytesSchema = z.union([
  z.string(),
  z.null(),
  z.strictObject({ '~fill': orPlaceholder(z.int().min(0)) }),
  z.strictObject({ base64: z.string() }),
]);

/** The `http` step as written: exactly one method, everything else optional. */
export const httpInputSchema = z
  .strictObject({
    ...shortForm,
    method: z.string().min(1).optional(),
    path: z.string().optional(),
    /** Name to value, or to several values; null leaves the header out. Or a list of pairs, sent in this order. */
    headers: z.union([z.record(z.string(), headerValue), z.array(z.tuple([z.string(), z.string()]))]).optional(),
    /** A token for `Authorization: Bearer`: a text, or one to be signed. */
    bearer: z.union([z.string(), tokenSchema]).optional(),
    body: bytesSchema.optional(),
    json: z.unknown().optional(),
    /** Parts sent one after another as one chunk each. */
    chunks: z.array(z.string()).optional(),
    trailers: z.record(z.string(), z.string()).optional(),
    framing: orPlaceholder(z.enum(['length', 'chunked'])).optional(),
    /** Host header; the host of the case when absent. */
    host: z.string().optional(),
    port: orPlaceholder(z.int().min(1).max(65535)).optional(),
    /** Name of a listener of the topology with its own port. */
    listener: z.string().optional(),
    /** Name of a connection that steps share; without it every request has its own. */
    connection: z.string().optional(),
  })
  .refine(
    (input) => methodsOf(input).length === 1,
    'write exactly one method, such as {GET: /path} or {method: PURGE, path: /}',
  )
  .refine(
    (input) => [input.body, input.json, input.chunks].filter((part) => part !== undefined).length <= 1,
    'write one of body, json and chunks',
  );

export type HttpInput = z.infer<typeof httpInputSchema>;

/** The request an `http` step sends. */
export interface HttpCall {
  readonly method: string;
  readonly path: string;
  /** In sending order, without Host and framing. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Parts of the body; one for a length-framed body. */
  readonly parts: readonly Buffer[] | undefined;
  readonly framing: 'length' | 'chunked';
  readonly trailers: Readonly<Record<string, string>>;
}

/** Method, path, headers and body of an interpolated input. */
export function httpCall(input: HttpInput): HttpCall {
  const short = METHODS.find((method) => input[method] !== undefined);
  const parts = bodyParts(input);
  const headers = [...headerPairs(input.headers), ...bearerPair(input.bearer)];
  const typed = headers.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    method: input.method ?? short ?? 'GET',
    path: (short === undefined ? input.path : input[short]) ?? '/',
    headers: input.json === undefined || typed ? headers : [...headers, ['content-type', 'application/json']],
    parts,
    framing:
      input.framing === 'chunked' || input.chunks !== undefined || input.trailers !== undefined ? 'chunked' : 'length',
    trailers: input.trailers ?? {},
  };
}

/** The bytes of a body as written in a case. */
export function bytesOf(body: z.infer<typeof bytesSchema>): Buffer | undefined {
  if (body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if ('base64' in body) return Buffer.from(body.base64, 'base64');
  return Buffer.alloc(Number(body['~fill']), 'x');
}

function methodsOf(input: Readonly<Record<string, unknown>>): readonly string[] {
  return ['method', ...METHODS].filter((key) => input[key] !== undefined);
}

function bodyParts(input: HttpInput): readonly Buffer[] | undefined {
  if (input.chunks !== undefined) return input.chunks.map((text) => Buffer.from(text, 'utf8'));
  if (input.json !== undefined) return [Buffer.from(JSON.stringify(input.json), 'utf8')];
  const bytes = input.body === undefined ? undefined : bytesOf(input.body);
  return bytes === undefined ? undefined : [bytes];
}

function bearerPair(bearer: HttpInput['bearer']): [string, string][] {
  return typeof bearer === 'string' ? [['authorization', `Bearer ${bearer}`]] : [];
}

function headerPairs(headers: HttpInput['headers']): [string, string][] {
  if (headers === undefined) return [];
  if (Array.isArray(headers)) return headers.map(([name, value]) => [name, value]);
  return Object.entries(headers).flatMap(([name, value]): [string, string][] => {
    if (value === null) return [];
    return (Array.isArray(value) ? value : [value]).map((one) => [name, String(one)]);
  });
}
