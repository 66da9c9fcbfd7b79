import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import type { Input } from './corpus.ts';

/** What stands behind a proxy: one server that notes the requests that reach it, one that gives hostile answers. */
export interface Upstreams {
  readonly requestsPort: number;
  readonly answersPort: number;
  /** Targets of the requests that arrived since it was asked last. */
  readonly arrived: () => readonly string[];
  readonly stop: () => void;
}

export async function startUpstreams(answers: readonly Input[]): Promise<Upstreams> {
  const targets: string[] = [];
  const requests = createHttpServer((request, response) => {
    targets.push(request.url ?? '');
    request.resume().on('end', () => response.end('hello'));
  });
  requests.on('clientError', (_, socket) => socket.destroy());
  const hostile = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    let head = '';
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      const name = /^\S+ \/answer\/(\S*)/.exec(head)?.[1];
      head = '';
      const answer = answers.find((one) => one.name === name);
      if (answer === undefined) socket.end(PROBE);
      else if (answer.ending === 'reset') socket.write(answer.bytes, () => socket.resetAndDestroy());
      else socket.end(answer.bytes);
    });
  });
  return {
    requestsPort: await listening(requests),
    answersPort: await listening(hostile),
    arrived: () => targets.splice(0),
    stop: () => {
      requests.close().closeAllConnections();
      hostile.close();
    },
  };
}

const PROBE = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nprobe';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
