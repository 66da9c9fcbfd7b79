import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listen } from './listen.ts';

/** One request as a server of a test sees it. */
export interface Heard {
  readonly http: string;
  readonly headers: IncomingHttpHeaders;
  /** The message; an empty object where there is none. */
  readonly message: Readonly<Record<string, unknown>>;
}

/** What it says to it: a document is sent as JSON, a text as it is. */
export interface Said {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly text?: string;
}

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly heard: readonly Heard[];
}

/** A server that says whatever a test wants, also what the protocol's own library would not. */
export async function startRawServer(answer: (heard: Heard) => Said): Promise<RawServer> {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const one = { http: request.method ?? '', headers: request.headers, message: objectIn(text) };
      heard.push(one);
      const { status = 200, headers = {}, json, text: plain } = answer(one);
      const type = json === undefined ? {} : { 'content-type': 'application/json' };
      response.writeHead(status, { ...type, ...headers });
      response.end(json === undefined ? plain : JSON.stringify(json));
    });
  });
  const port = await listen(server);
  return {
    port,
    heard,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = text === '' ? {} : JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
