import type { Socket } from 'node:net';
import { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Targeted } from '../exchange/exchange.ts';
import { connection } from '../upstream/connection.ts';
import { pickEndpoint } from '../upstream/endpoints.ts';
import { type Connected, openConnection } from '../upstream/open-connection.ts';
import type { Backend, Prepared } from './backend.ts';
import { namedDestination } from './dynamic-forward-proxy.ts';
import { upgradedAnswer } from './upgraded-answer.ts';

/** CONNECT-002: a raw tunnel to the backend that routing chose, whatever address the client named. docs/decisions/connect.md */
export const connect = {
  prepare: (exchange, { random }): Prepared => {
    const { protocol, type, endpoints } = exchange.backend;
    if (protocol !== 'http') throw new ProxyError('invalidBackendType', 'no tunnel leads to it');
    // DFP-001: of a dynamic forward proxy the destination is what the request names, here as ever.
    const endpoint = type === 'dynamic' ? namedDestination(exchange) : pickEndpoint(endpoints, random);
    return {
      endpoint,
      exchange,
      // CONNECT-003
      receive: (answer, upstream) =>
        upstream === undefined ? answer : upgradedAnswer(answer, upstream, { cancellation: exchange.cancellation }),
    };
  },
  send: async ({ endpoint, exchange }, { connected }) => {
    const socket = await reach(endpoint, exchange, connected);
    return { status: 200, headers: HeaderMap.of([]), body: undefined, connection: socket };
  },
} satisfies Backend;

function reach(
  endpoint: Prepared['endpoint'],
  { backend, view, clock, cancellation }: Targeted,
  connected: Connected | undefined,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { dial } = connection(backend.policies, view.references);
    openConnection(endpoint, dial, { clock, connected }, (error, socket) => {
      if (socket === null) {
        reject(error instanceof ProxyError ? error : new ProxyError('upstreamCallFailed', error?.message));
        return;
      }
      // Until somebody takes it over nobody listens, and an error without a listener would end the process.
      socket.on('error', () => socket.destroy());
      if (cancellation.reason !== undefined) socket.destroy();
      resolve(socket);
    });
  });
}
