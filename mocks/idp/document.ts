import type { AnswerScript, DocumentScript } from './script.ts';

type Document = Readonly<Record<string, unknown>>;

/** What an endpoint sends; a reply of the HTTP mock. */
export interface IdpReply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: NonNullable<AnswerScript['body']>;
  readonly chunks?: (string | { gate: string; giveUp?: string })[];
  readonly fault?: NonNullable<AnswerScript['fault']>;
}

/** The document with the members of `with` over it and those of `without` taken out. */
export function edited(
  document: Document,
  { with: over = {}, without = [] }: Pick<DocumentScript, 'with' | 'without'> = {},
): Document {
  return Object.fromEntries(Object.entries({ ...document, ...over }).filter(([name]) => !without.includes(name)));
}

/** The reply that carries the text, with whatever the script wants to be different. */
export function replyWith(text: string, script: AnswerScript = {}, usualStatus = 200): IdpReply {
  const { status = usualStatus, headers = {}, body, gate, giveUp, fault } = script;
  const typed = { 'content-type': 'application/json', ...headers };
  const rest = { status, headers: typed, ...(fault === undefined ? {} : { fault }) };
  if (gate === undefined) return { ...rest, body: body ?? text };
  return { ...rest, chunks: [{ gate, ...(giveUp === undefined ? {} : { giveUp }) }, text] };
}

/** A failure as OAuth writes it (RFC 6749, section 5.2). */
export function oauthError(status: number, error: string, description: string): IdpReply {
  return replyWith(JSON.stringify({ error, error_description: description }), { status });
}
