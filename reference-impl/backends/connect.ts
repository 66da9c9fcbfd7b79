import type { Socket } from 'node:net';
import type { Body } from '../base/body.ts';
import { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';
import type { Targeted } from '../exchange/exchange.ts';
import { connection } from '../upstream/connection.ts';
import { pickEndpoint } from '../upstream/endpoints.ts';
import { type Connected, openConnection } from '../upstream/open-connection.ts';
import { relay } from '../upstream/relay.ts';
import type { Backend, Prepared } from './backend.ts';
import { namedDestination } from './dynamic-forward-proxy.ts';

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
      receive: (answer, upstream) => {
        if (upstream === undefined) return answer;
        const { cancellation } = exchange;
        // Until somebody takes over, whoever gives the answer up gives up the connection.
        const stopListening = cancellation.onCancel(() => {
          upstream.destroy();
        });
        const body: Body = {
          read: () => Promise.resolve(undefined),
          cancel: () => {
            upstream.destroy();
          },
          length: undefined,
        };
        return {
          ...answer,
          body,
          // CONNECT-003
          takeOver: async (client, first) => {
            stopListening();
            await relay(client, first, upstream, () => {});
            upstream.destroy();
          },
        };
      },
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
      if (cancellation.reason !== undefined) socket.destroy();
      resolve(socket);
    });
  });
}
