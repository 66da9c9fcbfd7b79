import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Stands in for the platform that the implementation runs on: a metadata server, as cloud C has one. */
export interface Platform {
  /** `127.0.0.1:PORT`; known before the implementation starts, so that its environment can name it. */
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/** Starts it on a free port of the loopback address. */
export async function startPlatform(): Promise<Platform> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { address: `127.0.0.1:${portOf(server)}`, stop: async () => close(server) };
}

/** Both ways and the token as the public reference of the metadata server shows them; clients mark their requests, and look for the same mark. */
const MARK = { 'metadata-flavor': 'Google' } as const;
const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';
const TOKEN = { access_token: 'token-of-the-platform', expires_in: 3599, token_type: 'Bearer' } as const;

function answer({ url = '/', headers }: IncomingMessage, reply: ServerResponse): void {
  const { pathname } = new URL(url, 'http://platform.invalid');
  if (pathname === '/') return void reply.writeHead(200, MARK).end('computeMetadata/\n');
  if (headers['metadata-flavor'] !== 'Google') return void reply.writeHead(403, MARK).end();
  if (pathname !== TOKEN_PATH) return void reply.writeHead(404, MARK).end();
  reply.writeHead(200, { ...MARK, 'content-type': 'application/json' }).end(JSON.stringify(TOKEN));
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
