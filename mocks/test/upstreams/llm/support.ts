import type { Gates } from '../../../gates.ts';
import type { Mock } from '../../../mock.ts';
import { start } from '../../support/start.ts';

/** Starts a provider that is stopped when the test ends. */
export function provider(script: Readonly<Record<string, unknown>> = {}, gates?: Gates): Promise<Mock> {
  return start({ kind: 'llm', ...script }, gates);
}

/** What a request looks like to the provider of a format, without its body. */
export const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/v1/messages': { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
};

/** Posts a JSON document with the headers the path wants. */
export function post(
  mock: Mock,
  path: string,
  json: unknown,
  headers: Readonly<Record<string, string>> = HEADERS[path] ?? { authorization: 'Bearer k' },
): Promise<Response> {
  return fetch(`http://${mock.host}:${mock.port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(json),
  });
}
