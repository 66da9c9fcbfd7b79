import { HeaderMap } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { Program, VariableSource } from '../../../cel/program.ts';
import { asBody, asHeaderText } from '../../../cel/results.ts';
import type { Received, Request } from '../../../exchange/exchange.ts';
import type { PeerRequest } from '../../../upstream/peer-call.ts';
import { requestEditor } from '../../edit-headers.ts';
import type { Question } from './decision.ts';
import type { NamedProgram } from './named-programs.ts';

/** What of the request the server gets to see, and in which form. */
export interface RequestRules {
  readonly path: Program | undefined;
  readonly body: Program | undefined;
  readonly requestHeaders: readonly string[];
  readonly added: readonly NamedProgram[];
}

/** What the server is sent; undefined when the path or the body has no value. */
export function authorizationRequest(
  { exchange, variables, body }: Question,
  policy: RequestRules,
): PeerRequest | undefined {
  const { request } = exchange;
  const target = targetOf(policy.path, request, variables);
  const bytes = policy.body === undefined ? body : asBody(policy.body.evaluate(variables));
  if (target === undefined || (policy.body !== undefined && bytes === undefined)) return undefined;
  const sent: Request = {
    ...request,
    target,
    authority: '',
    headers: allowedHeaders(request.headers, policy.requestHeaders),
    body: bytes === undefined || bytes.byteLength === 0 ? undefined : bytesBody(bytes),
  };
  const {
    method,
    headers,
    body: payload,
    authority,
  } = withAdded(describeBody(sent, exchange), policy.added, variables);
  return { method, target, headers, body: payload, ...(authority === '' ? {} : { authority }) };
}

/** EXTAUTH-010, EXTAUTH-011 */
function targetOf(path: Program | undefined, { target }: Request, variables: VariableSource): string | undefined {
  if (path === undefined) return target;
  const text = asHeaderText(path.evaluate(variables));
  return text !== undefined && /^\/[!-~]*$/.test(text) ? text : undefined;
}

/** EXTAUTH-015: in the order of the request. */
function allowedHeaders(headers: HeaderMap, allowed: readonly string[]): HeaderMap {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  return HeaderMap.of([...headers].filter(([name]) => names.has(name.toLowerCase())));
}

/** A body goes with the type the client gave it; its length is written when it is sent. */
function describeBody(sent: Request, { request }: Received): Request {
  const headers = sent.headers.remove('content-length');
  const type = request.headers.get('content-type');
  if (sent.body === undefined || type === undefined || headers.has('content-type')) return { ...sent, headers };
  return { ...sent, headers: headers.set('content-type', type) };
}

/** EXTAUTH-016: for the server, not for the backend. An entry that fails is skipped. */
function withAdded(request: Request, added: readonly NamedProgram[], variables: VariableSource): Request {
  return added.reduce((message, { name, program }) => {
    const value = asHeaderText(program.evaluate(variables));
    return value === undefined ? message : requestEditor.set(message, name, value);
  }, request);
}
