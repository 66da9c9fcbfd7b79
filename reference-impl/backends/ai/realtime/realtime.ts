import type { Duplex } from 'node:stream';
import { ProxyError } from '../../../base/proxy-error.ts';
import { splitTarget } from '../../../exchange/request-state.ts';
import type { Targeted } from '../../../exchange/exchange.ts';
import type { Services } from '../../../credentials/services.ts';
import type { Prepared } from '../../backend.ts';
import { http } from '../../http.ts';
import { upgradedAnswer } from '../../upgraded-answer.ts';
import type { AiRequest } from '../ai-request.ts';
import { withProviderHeaders, withQuery } from '../providers/destination.ts';
import { guardedConnection } from '../guards/realtime/guarded-connection.ts';
import { promptGuards } from '../guards/guards.ts';
import { LlmCall, withCall } from '../call/llm-call.ts';
import { countResponses } from './count-responses.ts';

/** ROUTES-015: messages of a WebSocket pass as they are; the tokens the provider tells of are noted on the side. */
export function realtime(asked: AiRequest): Prepared {
  const { exchange, destination, services } = asked;
  const { request } = exchange;
  if (request.upgrade !== 'websocket') throw new ProxyError('llmRequestInvalid', 'realtime needs a WebSocket');
  const { target, model } = targetOf(asked);
  const provider = destination.provider.name;
  const call = new LlmCall({ provider, streaming: true, model, request: {}, format: undefined }, exchange);
  // What is compressed could not be read on the way.
  const headers = request.headers.remove('sec-websocket-extensions');
  const sent = withCall({ ...exchange, request: { ...request, target, headers } }, call);
  const prepared = http.prepare(withProviderHeaders(sent, destination, { model }), services);
  return {
    ...prepared,
    upgrade: request.upgrade,
    receive: (answer, connection) => {
      if (connection === undefined) return answer;
      return upgradedAnswer(answer, connection, {
        spoken: () => withGuards(connection, prepared.exchange, services),
        seen: countResponses(call),
        over: () => {
          call.finish();
        },
        cancellation: exchange.cancellation,
      });
    },
  };
}

/** The model stands in the query: the provider's, or the client's under the name an alias gives it. */
function targetOf({ exchange, destination, block }: AiRequest): {
  readonly target: string;
  readonly model: string | undefined;
} {
  const { settings, provider } = destination;
  const path = provider.realtimePath;
  if (path === undefined) throw new ProxyError('llmRequestInvalid', 'the provider has no realtime API');
  const query = new URLSearchParams(splitTarget(exchange.request.target).query);
  const asked = provider.model ?? query.get('model') ?? undefined;
  const model = asked === undefined ? undefined : block.alias(asked);
  if (model !== undefined) query.set('model', model);
  return { target: settings.path ?? withQuery(path, query.toString()), model };
}

/** GUARD-003: the connection itself, unless its messages are to be judged. */
function withGuards(connection: Duplex, exchange: Targeted, services: Services): Duplex {
  const guards = promptGuards(exchange.backend.policies);
  if (!guards.streaming) return connection;
  return guardedConnection(connection, guards, { exchange, services, llmRequest: {} });
}
