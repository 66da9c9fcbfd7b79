import supertest from 'supertest';
import { z } from 'zod';
import type { Mock } from '../../mock.ts';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const TYPE = 'urn:ietf:params:oauth:token-type:';
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Parameters of a question; one with a list stands there more than once. */
export type Form = Readonly<Record<string, string | readonly string[]>>;

export interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A question of RFC 8693 that any server takes. */
export const exchange = { grant_type: EXCHANGE, subject_token: 'opaque', subject_token_type: `${TYPE}access_token` };

/** Asks the token endpoint of a mock. */
export async function ask(
  mock: Mock,
  form: Form,
  headers: Readonly<Record<string, string>> = {},
  target = '/token',
): Promise<Said> {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) for (const one of [value].flat()) pairs.append(name, one);
  const answer = await supertest(`http://${mock.host}:${mock.port}`)
    .post(target)
    .set({ 'content-type': 'application/x-www-form-urlencoded', ...headers })
    .send(pairs.toString());
  return { status: answer.status, headers: answer.headers, body: members.parse(JSON.parse(answer.text)) };
}

const members = z.record(z.string(), z.unknown());

/** A question that a client shows itself in by an assertion. */
export function shownBy(client_assertion: string, more: Form = {}): Form {
  return { ...exchange, client_assertion_type: ASSERTION_TYPE, client_assertion, ...more };
}

/** The field that shows a client, whose halves the caller encodes. */
export function basic(pair: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
