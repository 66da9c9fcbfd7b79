import type { Duplex } from 'node:stream';
import type { Body } from '../base/body.ts';
import { endToEnd } from '../base/hop-by-hop.ts';
import type { Backend, Prepared } from '../backends/backend.ts';
import type { Services } from '../credentials/services.ts';
import type { Answer } from '../exchange/exchange.ts';
import { endpointText } from '../upstream/endpoints.ts';
import type { Response } from '../upstream/http-call.ts';
import type { Turn } from './balancing.ts';
import { responseSnapshot, watchBody } from './snapshots.ts';

/** One call of a backend, told to the trace and the records as it goes. Throws the ProxyError of a call that no response came of. */
export async function callBackend(
  backend: Backend,
  prepared: Prepared,
  turn: Turn | undefined,
  services: Services,
): Promise<Answer> {
  const { endpoint, exchange } = prepared;
  const { trace, clock, request, record, startedAt: arrivedAt } = exchange;
  const sentAt = clock.monotonic();
  const noteEnd = record?.noteCall({
    kind: 'Primary',
    subtype: exchange.backend.protocol,
    target: endpointText(endpoint),
    request,
  });
  if (trace.active) trace.emit({ type: 'backendCallStart', target: endpointText(endpoint) });
  const watched = watchBody(exchange, request.body, 'final request');

  let response: Response;
  try {
    response = await sendWatched(backend, prepared, watched.body, services);
  } catch (error) {
    watched.flush();
    const text = error instanceof Error ? error.message : String(error);
    noteEnd?.({ status: null, error: text });
    trace.emit({ type: 'backendCallResult', status: null, error: text }, { startedAt: sentAt });
    throw error;
  }
  // TRACE-037: what is not sent by now is cut from the snapshot, because the result comes next.
  watched.flush();
  const { status } = response;
  noteEnd?.({ status, error: null });
  if (trace.active) trace.emit({ type: 'backendCallResult', status, error: null }, { startedAt: sentAt });

  const timings = { requestProcessing: sentAt - arrivedAt, upstream: clock.monotonic() - sentAt };
  const came: Answer = { status, headers: response.headers, body: response.body, from: 'backend', timings };
  responseSnapshot(exchange, came, 'raw response');
  const raw = turn === undefined ? came : await turn.takeAnswer(exchange, came);
  const receiving = receiveAnswer(prepared, { ...raw, headers: endToEnd(response.headers) }, response.connection);
  const ready = receiving instanceof Promise ? await receiving : receiving;
  responseSnapshot(exchange, ready, 'backend response ready');
  return ready;
}

function receiveAnswer(
  { receive }: Prepared,
  answer: Answer,
  connection: Duplex | undefined,
): Answer | Promise<Answer> {
  return receive === undefined ? answer : receive(answer, connection);
}

function sendWatched(
  backend: Backend,
  prepared: Prepared,
  body: Body | undefined,
  services: Services,
): Promise<Response> {
  const { endpoint, exchange } = prepared;
  if (body === exchange.request.body) return backend.send(prepared, services);
  return backend.send({ endpoint, exchange: { ...exchange, request: { ...exchange.request, body } } }, services);
}
