import { Buffer } from 'node:buffer';
import type { BackendView } from '../attachment/view.ts';
import { HeaderMap } from '../base/headers.ts';
import { bytesBody, readBody } from '../base/read-body.ts';
import type { Received } from '../exchange/exchange.ts';
import type { Callers } from '../upstream/callers.ts';
import { callHttp, type PeerRequest } from '../upstream/peer-call.ts';
import { jsonMembers } from './json-members.ts';
import type { Token } from './token-cache.ts';

/** Who gives out tokens: a server, and the path and query it does it at. */
export interface TokenEndpoint {
  readonly server: BackendView;
  readonly target: string;
}

/** What it says. */
export interface TokenAnswer {
  readonly status: number;
  /** Of the JSON object in its body; none for any other body. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** Bytes of an answer; one that is larger has no members. */
const MOST_BYTES = 64 * 1024;

/** An endpoint nobody configured, known by its address: with TLS where that says so, and the roots of the system. */
export function endpointAt({ protocol, hostname, port, host, pathname, search }: URL): TokenEndpoint {
  const encrypted = protocol === 'https:';
  const endpoint = {
    kind: 'tcp',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (encrypted ? 443 : 80) : Number(port),
  } as const;
  const policies = { ...(encrypted ? { tls: {} } : {}), sources: {} };
  const key = `token/${host}`;
  const server = {
    name: host,
    key,
    type: 'static',
    protocol: 'http',
    endpoints: [endpoint],
    policies,
    mirrors: [],
  } as const;
  return { server, target: `${pathname}${search}` };
}

/** A question in the form of RFC 6749, section 4. */
export function formQuestion(
  parameters: Readonly<Record<string, string>> | readonly (readonly [name: string, value: string])[],
): Omit<PeerRequest, 'target'> {
  const form = new URLSearchParams(isList(parameters) ? parameters.map(([...pair]) => pair) : parameters).toString();
  return { method: 'POST', headers: FORM, body: bytesBody(Buffer.from(form)) };
}

function isList<One>(value: object | readonly One[]): value is readonly One[] {
  return Array.isArray(value);
}

const FORM = HeaderMap.of([
  ['content-type', 'application/x-www-form-urlencoded'],
  ['accept', 'application/json'],
]);

/** The same of any server, as text; an answer that is too large has none. */
export interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks, until the cancellation of the exchange. Rejects with a ProxyError when there is no answer, whatever it says. */
export async function askForText(
  { server, target }: TokenEndpoint,
  question: Omit<PeerRequest, 'target'>,
  exchange: Received,
  callers: Callers,
): Promise<TextAnswer> {
  const { status, body } = await callHttp(exchange, server, { ...question, target }, callers);
  const { bytes, overflow } = await readBody(body, MOST_BYTES);
  if (overflow) body?.cancel();
  return { status, text: overflow ? '' : Buffer.from(bytes).toString() };
}

/** Asks for members of a JSON object, in the same way. */
export async function askTokenEndpoint(...asked: Parameters<typeof askForText>): Promise<TokenAnswer> {
  const { status, text } = await askForText(...asked);
  return { status, members: jsonMembers(text) };
}

/**
 * The access token of an answer as in RFC 6749, section 5.1; undefined when it has none. One that does not say how long it
 * is good for is good for one use.
 */
export function accessToken({ status, members }: TokenAnswer): Token | undefined {
  const { access_token: value, expires_in: seconds } = members;
  if (status !== 200 || typeof value !== 'string') return undefined;
  return { value, lifetime: typeof seconds === 'number' ? seconds * 1000 : 0 };
}

/** The same of an answer whose text is known. */
export function accessTokenOf({ status, text }: TextAnswer): Token | undefined {
  return accessToken({ status, members: jsonMembers(text) });
}
