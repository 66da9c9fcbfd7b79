import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** The two listeners of a proxy, as far as the trace client sees them. */
export interface FakeProxy {
  readonly adminPort: number;
  readonly dataPort: number;
  /** Method and target of every admin request, and of every data request with its header lines and body. */
  readonly adminRequests: readonly string[];
  readonly dataRequests: readonly DataRequest[];
  readonly close: () => Promise<void>;
}

export interface DataRequest {
  readonly line: string;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly sourcePort: number;
}

export interface FakeProxyOptions {
  /** Answers /debug/trace once it is armed; the trace may wait for the data request to come. */
  readonly trace: (response: ServerResponse, dataRequest: Promise<DataRequest>) => void | Promise<void>;
  readonly data?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** One gateway `default/gw` on the data port. */
export async function startFakeProxy({ trace, data }: FakeProxyOptions): Promise<FakeProxy> {
  const adminRequests: string[] = [];
  const dataRequests: DataRequest[] = [];
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<DataRequest>();
  let dataPort = 0;

  const dataServer = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.once('end', () => {
      const { method, url, rawHeaders, socket } = request;
      const seen = { line: `${method} ${url}`, rawHeaders, body, sourcePort: socket.remotePort ?? 0 };
      dataRequests.push(seen);
      arrive(seen);
      if (data === undefined) response.end('hello');
      else data(request, response);
    });
  });
  const adminServer = createServer((request, response) => {
    adminRequests.push(`${request.method} ${request.url}`);
    if (request.url === '/config_dump') {
      const gateway = { namespace: 'default', name: 'gw' };
      response.end(JSON.stringify({ binds: [{ port: dataPort, listeners: [{ gateway }] }] }));
      return;
    }
    void trace(response, arrived);
  });

  dataPort = await listen(dataServer);
  const adminPort = await listen(adminServer);
  return {
    adminPort,
    dataPort,
    adminRequests,
    dataRequests,
    close: async () => {
      await Promise.all([stop(adminServer), stop(dataServer)]);
    },
  };
}

/** The events as a stream that is armed at once and ends after them. */
export function streamOf(
  events: readonly object[],
  after: (dataRequest: Promise<DataRequest>) => Promise<unknown> = () => Promise.resolve(),
): FakeProxyOptions['trace'] {
  return async (response, dataRequest) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': ready\n\n');
    await after(dataRequest);
    for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  };
}

export function eventOf(message: object, eventEnd = 1): object {
  return { eventStart: null, eventEnd, severity: 'info', message };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
