import { isFieldValue, type HeaderMap } from '../base/headers.ts';
import type { Answer, Request } from '../exchange/exchange.ts';

/** A message whose fields a policy edits one by one; every edit gives a new message. */
export interface Editor<Message> {
  /** An invalid value changes nothing. */
  readonly set: (message: Message, name: string, value: string) => Message;
  readonly add: (message: Message, name: string, value: string) => Message;
  /** A pseudo-header cannot be removed. */
  readonly remove: (message: Message, name: string) => Message;
}

/** Edits of a request; pseudo-headers and `host` are the request line itself (XFORM-002). */
export const requestEditor: Editor<Request> = {
  set: (request, name, value) =>
    setPseudo(request, name, value) ?? onFields(request, name, (all) => setField(all, name, value)),
  add: (request, name, value) =>
    setPseudo(request, name, value) ?? onFields(request, name, (all) => addField(all, name, value)),
  remove: (request, name) => (isPseudo(name) ? request : onFields(request, name, (all) => all.remove(name))),
};

/** Edits of an answer; `:status` is its status. */
export const answerEditor: Editor<Answer> = {
  set: (answer, name, value) =>
    setStatus(answer, name, value) ?? onFields(answer, name, (all) => setField(all, name, value)),
  add: (answer, name, value) =>
    setStatus(answer, name, value) ?? onFields(answer, name, (all) => addField(all, name, value)),
  remove: (answer, name) => (isPseudo(name) ? answer : onFields(answer, name, (all) => all.remove(name))),
};

/** Framing and the connection belong to the proxy: a policy that could set these could smuggle requests. */
const OWNED_BY_THE_PROXY: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

function onFields<Message extends { readonly headers: HeaderMap }>(
  message: Message,
  name: string,
  edit: (headers: HeaderMap) => HeaderMap,
): Message {
  if (OWNED_BY_THE_PROXY.has(name.toLowerCase())) return message;
  const headers = edit(message.headers);
  return headers === message.headers ? message : { ...message, headers };
}

function setField(headers: HeaderMap, name: string, value: string): HeaderMap {
  return isFieldValue(value) ? headers.set(name, wireText(value)) : headers;
}

function addField(headers: HeaderMap, name: string, value: string): HeaderMap {
  return isFieldValue(value) ? headers.add(name, wireText(value)) : headers;
}

/** Field values are bytes, one per character; text beyond that travels as UTF-8. */
function wireText(value: string): string {
  return /[\u0100-\uffff]/.test(value) ? Buffer.from(value).toString('latin1') : value;
}

type SetPseudo = (request: Request, value: string) => Request;

const REQUEST_PSEUDO: ReadonlyMap<string, SetPseudo> = new Map<string, SetPseudo>([
  [':method', (request, method) => (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method) ? { ...request, method } : request)],
  [
    ':path',
    (request, target) => (/^\/[!-~]*$/.test(target) ? { ...request, target: target.replace(/#.*$/, '') } : request),
  ],
  [':authority', setAuthority],
  ['host', setAuthority],
  [':scheme', (request, scheme) => (scheme === 'http' || scheme === 'https' ? { ...request, scheme } : request)],
]);

function setAuthority(request: Request, authority: string): Request {
  return /^[A-Za-z0-9._~%!$&'()*+,;=:[\]-]+$/.test(authority) ? { ...request, authority } : request;
}

/** Undefined when the name is an ordinary field. A pseudo-header that requests do not have changes nothing. */
function setPseudo(request: Request, name: string, value: string): Request | undefined {
  const set = REQUEST_PSEUDO.get(name.toLowerCase());
  if (set !== undefined) return set(request, value);
  return name.startsWith(':') ? request : undefined;
}

function setStatus(answer: Answer, name: string, value: string): Answer | undefined {
  if (!name.startsWith(':')) return undefined;
  return name === ':status' && /^[2-5][0-9]{2}$/.test(value) ? { ...answer, status: Number(value) } : answer;
}

function isPseudo(name: string): boolean {
  return name.startsWith(':') || name.toLowerCase() === 'host';
}
