import { z } from 'zod';
import { tokenSchema } from '../peers/token-schema.ts';
import { orPlaceholder } from './authoring.ts';
import { tlsClientSchema } from './tls-client.ts';

/** Methods of the short form `{GET: /path}`. Any other method is written `{method: PURGE, path: /}`. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'] as const;

const headerValue = z.union([z.string(), z.array(z.string()), z.number(), z.null()]);
const target = z.string().optional().describe('method and target in one, with the query: { GET: /a?b=c }');
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

/** Members that say where a request goes, for every step that sends one. */
export const whereShape = {
  host: z.string().optional().describe('Host header; the host of the case when absent'),
  port: orPlaceholder(z.int().min(1).max(65535))
    .optional()
    .describe('port of the implementation to connect to; its data port when absent'),
  listener: z.string().optional().describe('name of a listener of the topology that has a port of its own (port: own)'),
};

/** For steps whose request may share a connection with others. */
export const connectionMember = z
  .string()
  .optional()
  .describe('name of a connection that steps share, one after another; every request has its own when absent');

/** For steps that send one request, whatever is in it. */
export const versionMember = orPlaceholder(z.enum(['1.1', '2']))
  .optional()
  .describe('version of HTTP, 1.1 when absent; 2 is spoken by ALPN over TLS, by prior knowledge without');

const fill = z.strictObject({
  '~fill': orPlaceholder(z.int().min(0)).describe('a text of this many bytes'),
  with: z.string().min(1).optional().describe('what is repeated in it; x when absent'),
});

/** Bytes in a case: a text, a fill of n bytes (interpolated to text), or base64. Null is no body. */
export const bytesSchema = z.union([
  z.string(),
  z.null(),
  fill,
  z.strictObject({ base64: z.string().describe('bytes in base64, for what is no text') }),
]);

/** The `http` step as written: exactly one method, everything else optional. */
export const httpInputSchema = z
  .strictObject({
    ...shortForm,
    method: z.string().min(1).optional().describe('any other method, with path beside it: { method: PURGE, path: /a }'),
    path: z.string().optional().describe('target of the request beside method; / when absent'),
    headers: z
      .union([z.record(z.string(), headerValue), z.array(z.tuple([z.string(), z.string()]))])
      .optional()
      .describe('name to value or list of values, null leaves one out; or [[name, value], …], sent in this order'),
    bearer: z
      .union([z.string(), tokenSchema])
      .optional()
      .describe('a token for Authorization: Bearer: a text, or one to be signed, { by: idp, claims: { exp: now-2m } }'),
    body: bytesSchema
      .optional()
      .describe('the body: a text, { ~fill: 1024 } bytes, { base64: aGk= }, or null for none'),
    json: z
      .unknown()
      .optional()
      .describe('the body as JSON, with content-type: application/json unless headers say another'),
    chunks: z
      .array(z.union([z.string(), fill]))
      .optional()
      .describe('the body in parts, sent one after another as one chunk each'),
    trailers: z.record(z.string(), z.string()).optional().describe('trailers after a chunked body, name to value'),
    framing: orPlaceholder(z.enum(['length', 'chunked']))
      .optional()
      .describe('how the end of the body is told: length (default) is Content-Length, chunked is Transfer-Encoding'),
    ...whereShape,
    connection: connectionMember,
    version: versionMember,
    tls: tlsClientSchema
      .optional()
      .describe('speaks TLS: true, or { serverName, alpn, min, max, ciphers, groups, client }'),
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
  return Buffer.alloc(Number(body['~fill']), body.with ?? 'x');
}

function methodsOf(input: Readonly<Record<string, unknown>>): readonly string[] {
  return ['method', ...METHODS].filter((key) => input[key] !== undefined);
}

function bodyParts(input: HttpInput): readonly Buffer[] | undefined {
  if (input.chunks !== undefined) return input.chunks.flatMap((part) => bytesOf(part) ?? []);
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
