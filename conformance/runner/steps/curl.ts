import { isUtf8 } from 'node:buffer';
import type { Endpoint } from '../sut/session.ts';
import type { HttpCall } from './http-input.ts';

/** A request as a command line, or why a command line cannot send it. */
export type Outside = { readonly command: string } | { readonly cannot: string };

/** Where a request of a person goes. */
export interface CurlContext {
  readonly host: string;
  readonly data: Endpoint;
  readonly port?: (listener: string) => number | undefined;
}

/** Where a step says it goes, beyond the data endpoint. */
export interface OutsideTarget {
  readonly host?: string | undefined;
  readonly port?: number | string | undefined;
  readonly listener?: string | undefined;
  readonly connection?: string | undefined;
  /** Of HTTP. A protocol above it has versions of its own, and says `httpVersion`. */
  readonly version?: string | undefined;
  readonly httpVersion?: string | undefined;
  readonly tls?: unknown;
}

/** What curl cannot send as the suite does, in the order in which it is said. */
const BEYOND_CURL: readonly (readonly [applies: (call: HttpCall, target: OutsideTarget) => boolean, why: string])[] = [
  [({ method }) => method === 'CONNECT', 'curl makes CONNECT for a proxy of its own only'],
  [({ trailers }) => Object.keys(trailers).length > 0, 'curl sends no trailers'],
  [({ parts }) => (parts?.length ?? 0) > 1, 'curl does not send a body in chunks of its own choice'],
  [({ parts }) => sizeOf(parts) > 65_536, 'its body is too long for a command line'],
  [(_, { connection }) => connection !== undefined, 'it shares a connection with other steps'],
  [(_, { tls }) => tls !== undefined, 'its handshake is the point of it'],
];

/** The curl command that sends what the suite sends: no header more, no header less, the path as it stands. */
export function outsideCommand(call: HttpCall, target: OutsideTarget, context: CurlContext): Outside {
  const [, why] = BEYOND_CURL.find(([applies]) => applies(call, target)) ?? [];
  if (why !== undefined) return { cannot: why };
  const { data } = context;
  const listener = target.listener === undefined ? undefined : context.port?.(target.listener);
  const port = typeof target.port === 'number' ? target.port : (listener ?? data.port);
  const plainPath = /^\/[\w\-./~%?&=+,;:@!$'()*]*$/.test(call.path);
  const isHttp2 = (target.httpVersion ?? target.version) === '2';
  const body = bodyWords(call);
  const words = [
    `curl -iNg --path-as-is${isHttp2 ? ' --http2-prior-knowledge' : ''}`,
    call.method === 'HEAD' ? '--head' : `-X ${/^[A-Z]+$/.test(call.method) ? call.method : quote(call.method)}`,
    ...headerWords(isHttp2 ? { ...call, framing: 'length' } : call, target.host ?? context.host),
    ...body.words,
    ...(plainPath ? [] : ['--request-target', quote(call.path)]),
    quote(`http://${data.host}:${port}${plainPath ? call.path : '/'}`),
  ];
  return { command: `${body.before}${words.join(' ')}` };
}

/** What curl adds of its own accord, unless it is told not to. */
const OWN_HEADERS = ['Accept', 'User-Agent'] as const;

function headerWords({ headers, parts, framing, method }: HttpCall, host: string): readonly string[] {
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const own = parts === undefined ? OWN_HEADERS : [...OWN_HEADERS, 'Content-Type', 'Expect'];
  const framed = given.has('content-length') || given.has('transfer-encoding');
  const empty = parts === undefined && ['POST', 'PUT', 'PATCH'].includes(method);
  const lines = [
    ...(given.has('host') ? [] : [`Host: ${host}`]),
    ...headers.map(([name, value]) => (value === '' ? `${name};` : `${name}: ${value}`)),
    ...own.filter((name) => !given.has(name.toLowerCase())).map((name) => `${name}:`),
    ...(framing === 'chunked' && !framed ? ['Transfer-Encoding: chunked'] : []),
    ...(empty && framing === 'length' && !framed ? ['Content-Length: 0'] : []),
  ];
  return lines.flatMap((line) => ['-H', quote(line)]);
}

/** A text goes on the command line; other bytes, and what a shell would change, go through a pipe. */
function bodyWords({ parts }: HttpCall): { readonly before: string; readonly words: readonly string[] } {
  if (parts === undefined) return { before: '', words: [] };
  const bytes = Buffer.concat([...parts]);
  const isText = isUtf8(bytes) && !bytes.includes(0) && bytes[0] !== 0x40;
  if (isText) return { before: '', words: ['--data-binary', quote(bytes.toString('utf8'))] };
  return { before: `printf %s ${quote(bytes.toString('base64'))} | base64 -d | `, words: ['--data-binary', '@-'] };
}

function sizeOf(parts: HttpCall['parts']): number {
  return (parts ?? []).reduce((sum, part) => sum + part.length, 0);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
