import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorFields } from '../base/log.ts';
import { configDump } from './config-dump.ts';
import { debugTrace } from './debug-trace.ts';
import { answerText, type AdminContext, type AdminRequest, type AdminServices, type Endpoint } from './endpoint.ts';
import { foreignCaller } from './foreign-caller.ts';
import { ready, readyz } from './ready.ts';
import { isResourcePath } from './resource-api/paths.ts';
import { sendRequest } from './send/send-request.ts';
import { createTurns } from './send/turns.ts';
import { status } from './status.ts';
import { uiFile } from './ui.ts';
import { createUnread } from './unread.ts';

/** Every path of the admin listener and the methods it answers; HEAD comes with GET. */
const ENDPOINTS: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = {
  '/debug/trace': { POST: debugTrace }, // TRACE-001
  '/config_dump': { GET: configDump },
  '/status': { GET: status },
  '/healthz/ready': { GET: ready },
  '/readyz': { GET: readyz },
  '/ui': { GET: uiFile('index.html') }, // TRACE-062
  '/ui/': { GET: uiFile('index.html') },
  '/ui/request': { POST: sendRequest },
  '/ui/ui.css': { GET: uiFile('ui.css') },
  '/ui/ui.js': { GET: uiFile('ui.js') },
};

/** Requests of pages that may be under way. */
const MOST_SENT_AT_ONCE = 4;

/** The admin listener: on loopback only, because nothing on it asks who is calling. */
export interface AdminServer {
  /** The server itself, for tests that drive it without a port of their own. */
  readonly http: Server;
  /** Binds 127.0.0.1; port 0 takes a free one. Resolves to the port, rejects when it is taken. */
  readonly listen: (port: number) => Promise<number>;
  /** Cuts off whoever is still connected. Resolves when the port is free again. */
  readonly close: () => Promise<void>;
}

export function createAdminServer(given: AdminContext): AdminServer {
  const context = {
    ...given,
    instance: randomUUID(),
    unread: createUnread(given.log),
    turns: createTurns(MOST_SENT_AT_ONCE),
  };
  const http = createServer((request, response) => {
    answer(request, response, context).catch((error: unknown) => {
      context.log('admin request failed', { method: request.method, path: request.url, ...errorFields(error) });
      if (response.headersSent) response.destroy();
      else answerText(response, 500, 'internal error');
    });
  });
  http.maxConnections = 1024;

  return {
    http,
    listen: (port) =>
      new Promise((resolve, reject) => {
        http.once('error', reject);
        http.listen({ port, host: '127.0.0.1' }, () => {
          http.off('error', reject);
          const address = http.address();
          resolve(typeof address === 'object' && address !== null ? address.port : port);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        http.close(() => {
          resolve();
        });
        http.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, context: AdminServices): Promise<void> {
  const foreign = foreignCaller(request.headers);
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  if (foreign === undefined && context.resourceApi !== undefined && isResourcePath(path)) {
    await context.resourceApi(request, response);
    return;
  }
  try {
    await answerEndpoint({ request, response, query: new URLSearchParams(query) }, path, foreign, context);
  } finally {
    // Few need the body, but an unread one would stop the connection from being used again.
    request.resume();
  }
}

async function answerEndpoint(
  exchange: AdminRequest,
  path: string,
  foreign: string | undefined,
  context: AdminServices,
): Promise<void> {
  const { request, response } = exchange;
  if (foreign !== undefined) {
    answerText(response, 403, foreign);
    return;
  }

  const methods = Object.hasOwn(ENDPOINTS, path) ? ENDPOINTS[path] : undefined;
  if (methods === undefined) {
    answerText(response, 404, 'not found');
    return;
  }
  const endpoint = endpointFor(request, methods);
  if (endpoint === undefined) {
    response.setHeader('allow', Object.keys(methods).join(', '));
    answerText(response, 405, 'method not allowed');
    return;
  }
  await endpoint(exchange, context);
}

/** Who can GET can HEAD. */
function endpointFor(
  { method = '' }: IncomingMessage,
  methods: Readonly<Record<string, Endpoint>>,
): Endpoint | undefined {
  const name = method === 'HEAD' ? 'GET' : method;
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}
