import type { Duplex } from 'node:stream';
import type { Body } from '../../../base/body.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { splitTarget } from '../../../exchange/request-state.ts';
import type { Answer, Targeted } from '../../../exchange/exchange.ts';
import type { Services } from '../../../credentials/services.ts';
import type { Prepared } from '../../backend.ts';
import { http } from '../../http.ts';
import { withQuery, type Destination } from '../destination.ts';
import { guardedConnection } from '../guards/realtime/guarded-connection.ts';
import { promptGuards } from '../guards/guards.ts';
import { LlmCall, withCall } from '../llm-call.ts';
import type { PolicyBlock } from '../policy-block.ts';
import { countResponses } from './count-responses.ts';
import { relay } from './relay.ts';

type WithCredential = (exchange: Targeted, to: Destination, format: undefined, model: string | undefined) => Targeted;

/** ROUTES-015: messages of a WebSocket pass as they are; the tokens the provider tells of are noted on the side. */
export function realtime(
  exchange: Targeted,
  destination: Destination,
  block: PolicyBlock,
  services: Services,
  withCredential: WithCredential,
): Prepared {
  const { request } = exchange;
  const { provider } = destination;
  if (request.upgrade === undefined) throw new ProxyError('llmRequestInvalid', 'realtime needs a WebSocket');
  const { target, model } = targetOf(request.target, destination, block);
  const call = new LlmCall(
    { provider: provider.name, streaming: true, model, request: {}, format: undefined },
    exchange,
  );
  // What is compressed could not be read on the way.
  const headers = request.headers.remove('sec-websocket-extensions');
  const sent = withCall({ ...exchange, request: { ...request, target, headers } }, call);
  const prepared = http.prepare(withCredential(sent, destination, undefined, model), services);
  return {
    ...prepared,
    upgrade: request.upgrade,
    receive: (answer, connection) =>
      connection === undefined
        ? answer
        : switched(answer, connection, call, exchange, (bare) => guarded(bare, prepared.exchange, services)),
  };
}

/** The model stands in the query: the provider's, or the client's under the name an alias gives it. */
function targetOf(
  clientTarget: string,
  { settings, provider }: Destination,
  block: PolicyBlock,
): { readonly target: string; readonly model: string | undefined } {
  const path = provider.realtimePath;
  if (path === undefined) throw new ProxyError('llmRequestInvalid', 'the provider has no realtime API');
  const query = new URLSearchParams(splitTarget(clientTarget).query);
  const asked = provider.model ?? query.get('model') ?? undefined;
  const model = asked === undefined ? undefined : block.alias(asked);
  if (model !== undefined) query.set('model', model);
  return { target: settings.path ?? withQuery(path, query.toString()), model };
}

/** GUARD-003: the connection itself, unless its messages are to be judged. */
function guarded(connection: Duplex, exchange: Targeted, services: Services): Duplex {
  const guards = promptGuards(exchange.backend.policies);
  if (!guards.streaming) return connection;
  return guardedConnection(connection, guards, { exchange, services, llmRequest: {} });
}

function switched(
  answer: Answer,
  upstream: Duplex,
  call: LlmCall,
  { cancellation }: Targeted,
  guard: (connection: Duplex) => Duplex,
): Answer {
  const over = new Promise<void>((resolve) => {
    upstream.once('close', () => {
      call.finish();
      resolve();
    });
  });
  // Until somebody takes over, whoever gives the answer up gives up the connection.
  const stopListening = cancellation.onCancel(() => {
    upstream.destroy();
  });
  const body: Body = {
    read: async () => {
      await over;
      return undefined;
    },
    cancel: () => {
      upstream.destroy();
    },
    length: undefined,
  };
  return {
    ...answer,
    body,
    takeOver: async (client, first) => {
      stopListening();
      await relay(client, first, guard(upstream), countResponses(call));
      upstream.destroy();
    },
  };
}
