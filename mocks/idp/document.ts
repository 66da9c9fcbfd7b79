import { jsonReply } from '../http-exchange.ts';
import type { HttpReply } from '../http-exchange.ts';
import type { Json } from '../json.ts';
import type { AnswerScript, DocumentScript } from './script.ts';

/** The document with the members of `with` over it and those of `without` taken out. */
export function editDocument(
  document: Json,
  { with: over = {}, without = [] }: Pick<DocumentScript, 'with' | 'without'> = {},
): Json {
  return Object.fromEntries(Object.entries({ ...document, ...over }).filter(([name]) => !without.includes(name)));
}

/** The reply that carries the text, with whatever the script wants to be different. */
export function replyWith(text: string, script: AnswerScript = {}, usualStatus = 200): HttpReply {
  const { body, gate, fault } = script;
  return {
    ...jsonReply(text, { status: usualStatus, ...script }),
    ...(body === undefined || gate !== undefined ? {} : { body }),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** A failure as OAuth writes it (RFC 6749, section 5.2): 401 says how a client may show itself in a header. */
export function oauthError(status: number, error: string, description: string): HttpReply {
  const headers: Record<string, string> = status === 401 ? { 'www-authenticate': 'Basic realm="tokens"' } : {};
  return replyWith(JSON.stringify({ error, error_description: description }), { status, headers });
}
