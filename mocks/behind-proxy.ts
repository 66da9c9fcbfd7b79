import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen, type Bound } from './listen.ts';
import type { Mock, MockOptions } from './mock.ts';

/** A token server that is asked on the way, and the credentials for it. */
interface TokenServer {
  readonly credentials: (tokenUrl: string) => string;
  readonly serve: RequestListener;
}

/**
 * A proxy server in front of a mock: it takes CONNECT for one authority and leads to the mock; every other request is
 * for the token server of `account`. Rejects when its port cannot be bound.
 */
export async function behindProxy(
  mock: Mock,
  authority: string,
  account: TokenServer | undefined,
  options: MockOptions,
): Promise<Mock> {
  const server = createServer(account?.serve ?? ((_, response) => response.writeHead(405).end()));
  server.on('connect', (request, socket, head) => {
    // A client that goes away is part of every case.
    socket.on('error', () => socket.destroy());
    // HTTP/1.0, in which some libraries still ask for tunnels, has no Host.
    const host = request.headers.host ?? (request.httpVersion === '1.0' ? authority : undefined);
    if (request.url !== authority || host !== authority) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    lead(socket, head, mock);
  });
  const front: Bound = await listen(server, options);
  const stop = async (): Promise<void> => {
    await front.close();
    await mock.stop();
  };
  const { host, port } = front;
  const credentials = account?.credentials(`http://${host}:${port}/token`);
  const variables = credentials === undefined ? {} : { credentials };
  return { kind: mock.kind, host, port, ledger: mock.ledger, variables, stop };
}

function lead(socket: Duplex, head: Buffer, { host, port }: Mock): void {
  const inner = connect({ host, port });
  inner.on('error', () => socket.destroy());
  inner.on('close', () => socket.destroy());
  socket.on('close', () => inner.destroy());
  inner.once('connect', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    inner.write(head);
    inner.pipe(socket);
    socket.pipe(inner);
  });
}
