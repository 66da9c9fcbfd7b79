import { createServer } from 'node:http2';
import type { ServiceImpl } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { ExtMcp, type McpRequest, type McpResponse } from '../../../../upstream/wire/ext_mcp_pb.js';
import { listen } from './listen.ts';

/** A policy server of guards, with what it was asked. */
export interface GuardPeer extends AsyncDisposable {
  readonly port: number;
  readonly asked: readonly Question[];
}

export type Question =
  | { readonly check: 'request'; readonly asked: McpRequest }
  | { readonly check: 'response'; readonly asked: McpResponse };

/** A check that is not given passes. */
export async function startGuard({
  checkRequest,
  checkResponse,
}: Partial<ServiceImpl<typeof ExtMcp>> = {}): Promise<GuardPeer> {
  const asked: Question[] = [];
  const sessions = new Set<{ destroy: () => void }>();
  const server = createServer(
    {},
    connectNodeAdapter({
      routes: (router) =>
        router.service(ExtMcp, {
          checkRequest: (request, context) => {
            asked.push({ check: 'request', asked: request });
            return checkRequest?.(request, context) ?? PASS;
          },
          checkResponse: (response, context) => {
            asked.push({ check: 'response', asked: response });
            return checkResponse?.(response, context) ?? PASS;
          },
        }),
    }),
  );
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  const port = await listen(server);
  return {
    port,
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const PASS = { result: { case: 'pass', value: {} } } as const;
