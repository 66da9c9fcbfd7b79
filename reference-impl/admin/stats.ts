import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The stats listener: `GET /metrics` for whoever collects metrics, and nothing else. docs/decisions/telemetry.md */
export interface StatsServer {
  /** Resolves to the port it listens on; rejects with the error of the system. */
  readonly listen: (port: number, host: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** `type` is the content type of what `text` gives. */
export function createStatsServer(text: () => string, type: string): StatsServer {
  const server = createServer({ requestTimeout: PATIENCE, headersTimeout: PATIENCE }, ({ method, url }, response) => {
    const [path] = (url ?? '').split('?', 1);
    if (path !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found\n');
    } else if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { 'content-type': 'text/plain', allow: 'GET, HEAD' }).end('method not allowed\n');
    } else {
      const body = Buffer.from(text());
      response.writeHead(200, { 'content-type': type, 'content-length': body.length });
      response.end(method === 'HEAD' ? undefined : body);
    }
  });
  server.maxConnections = MOST_CONNECTIONS;
  return { listen: (port, host) => listen(server, port, host), close: () => close(server) };
}

/** Milliseconds for a request. */
const PATIENCE = 10_000;
const MOST_CONNECTIONS = 100;

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      server.off('error', reject);
      const address: AddressInfo | string | null = server.address();
      resolve(address === null || typeof address === 'string' ? port : address.port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
