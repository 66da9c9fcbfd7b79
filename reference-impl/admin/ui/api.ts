import { createEventReader, type SentEvent } from './read-events.ts';
import type { Header } from './header-lines.ts';

/** What `POST /ui/request` is asked for. */
export interface AskedRequest {
  readonly port: number;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly Header[];
  readonly body: string;
}

/** Why the proxy would not do what it was asked for, in its words. */
export class Refusal extends Error {}

/** Sends a request through the proxy; gives the events of its trace, then its answer. Throws a Refusal. */
export function sendRequest(asked: AskedRequest, signal: AbortSignal): AsyncGenerator<readonly SentEvent[]> {
  const headers = { 'content-type': 'application/json', 'x-refproxy-page': '1' };
  return eventsOf('/ui/request', { method: 'POST', headers, body: JSON.stringify(asked), signal });
}

/** Waits for a request of somebody else; the first item is empty and says that the proxy waits. Throws a Refusal. */
export function watchRequest(expression: string, signal: AbortSignal): AsyncGenerator<readonly SentEvent[]> {
  const query = expression === '' ? '' : `?${new URLSearchParams({ expression }).toString()}`;
  return eventsOf(`/debug/trace${query}`, { method: 'POST', signal });
}

/** A document and the tag it came with. */
export interface Fetched {
  readonly tag: string;
  readonly value: unknown;
}

/** The document, or the one that is known when it is still the same. Throws an error that says what went wrong. */
export async function fetchNewer(path: string, known: Fetched | undefined): Promise<Fetched> {
  const response = await fetch(path, { headers: known === undefined ? {} : { 'if-none-match': known.tag } });
  if (response.status === 304 && known !== undefined) return known;
  if (!response.ok) throw new Refusal((await response.text()).trim());
  return { tag: response.headers.get('etag') ?? '', value: await response.json() };
}

async function* eventsOf(path: string, init: RequestInit): AsyncGenerator<readonly SentEvent[]> {
  const response = await fetch(path, init);
  if (!response.ok || response.body === null) throw new Refusal((await response.text()).trim());
  const read = createEventReader();
  yield [];
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield read(part.value);
}
