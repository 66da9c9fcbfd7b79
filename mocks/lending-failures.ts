import type { HttpReply } from './http-exchange.ts';

// Those who lend remember nothing, so what goes wrong is asked for as well: by the name of a role, a tenant, an identity or an audience.

/** The answer to whoever asks under this name: the good one, or what its last word says has gone wrong. */
export function lendTo(name: string, good: HttpReply): HttpReply {
  const spoil = FAILURES.get(name.split('/').at(-1) ?? '');
  return spoil === undefined ? good : spoil(good);
}

type Spoil = (good: HttpReply) => HttpReply;

const FAILURES: ReadonlyMap<string, Spoil> = new Map<string, Spoil>([
  ['refuses', () => ({ status: 400, headers: JSON_TYPE, body: '{"error":"invalid_grant"}' })],
  ['denies', () => ({ status: 401, headers: JSON_TYPE, body: '{"error":"invalid_client"}' })],
  ['fails', () => ({ status: 503, body: 'later' })],
  ['garbage', (good) => ({ ...good, body: 'neither a document nor a token' })],
  ['nothing', (good) => ({ ...good, body: '' })],
  ['no-token', (good) => ({ ...good, body: textOf(good).replaceAll(TOKEN, '') })],
  ['no-http', () => ({ fault: 'garbage' })],
  ['resets', () => ({ fault: 'reset' })],
  ['half-closes', () => ({ fault: 'half-close' })],
  ['hangs', () => ({ fault: 'hang' })],
  ['late', late],
]);

const JSON_TYPE = { 'content-type': 'application/json' };

/** What everything is about, in the documents that clouds answer with; an ID token is the whole answer. */
const TOKEN = /"(?:access|id)_token":"[^"]*",?|<SecretAccessKey>[^<]*<\/SecretAccessKey>|^[\w-]+\.[\w-]+\.[\w-]+$/g;

function late(good: HttpReply): HttpReply {
  const { body: _, ...head } = good;
  return { ...head, chunks: [{ gate: 'never', giveUp: '300ms' }, { text: textOf(good) }] };
}

function textOf({ body }: HttpReply): string {
  return typeof body === 'string' ? body : '';
}
