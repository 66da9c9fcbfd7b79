import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { admit } from '../../admission/admit.ts';
import { buildView, type View } from '../../attachment/view.ts';
import { perObject } from '../../base/per-object.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Log, LogFields } from '../../base/log.ts';
import { createPasswordQueue } from '../../credentials/passwords/password-queue.ts';
import { createTokenCache } from '../../credentials/token-cache.ts';
import { createListeners } from '../../server/listeners.ts';
import type { ConnectionLimits } from '../../server/data-plane.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { createStore } from '../../store/store.ts';
import { connectCounter } from '../../telemetry/metrics/count-connect.ts';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';
import { createTelemetry } from '../../telemetry/telemetry.ts';
import type { TraceEvent } from '../../trace/events.ts';
import { createWatchers, type Watchers } from '../../trace/watchers.ts';
import { createGrpcClients } from '../../upstream/grpc-clients.ts';
import { createHealthRegister, type HealthRegister } from '../../upstream/health/register.ts';
import { createHttpClient } from '../../upstream/http-client.ts';

/** A running data plane: the real one, without the command around it. */
export interface DataPlane extends AsyncDisposable {
  readonly port: number;
  readonly configure: (resources: readonly object[]) => Promise<void>;
  /** Resolves to the events of the next request. */
  readonly trace: () => Promise<readonly TraceEvent[]>;
  readonly logged: readonly { readonly message: string; readonly fields: LogFields | undefined }[];
  /** What was logged at level info. */
  readonly told: readonly { readonly message: string; readonly fields: LogFields | undefined }[];
  readonly ports: () => readonly number[];
  readonly view: () => View;
  readonly snapshot: () => Snapshot;
  readonly watchers: Watchers;
  /** Accepts no more; resolves when what is under way is answered, or cut off after `patience` milliseconds. */
  readonly close: (patience: number) => Promise<void>;
}

export interface DataPlaneOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<ConnectionLimits>;
  readonly random?: () => number;
  readonly health?: HealthRegister;
  /** What is counted, and who gets the lines of access logs in JSON; nothing is recorded without. */
  readonly recording?: { readonly metrics: Metrics; readonly writeLine: (line: string) => void };
}

/** Serves the resources that `describe` makes for a free port. */
export async function startDataPlane(
  describe: (port: number) => readonly object[],
  {
    clock = systemClock,
    limits = {},
    random = () => 0,
    health = createHealthRegister(),
    recording,
  }: DataPlaneOptions = {},
): Promise<DataPlane> {
  const port = await freePort();
  const store = createStore(systemClock);
  let view: View = buildView(store.snapshot());
  const logged: { message: string; fields: LogFields | undefined }[] = [];
  const note = (message: string, fields?: LogFields): void => {
    logged.push({ message, fields });
  };
  const told: { message: string; fields: LogFields | undefined }[] = [];
  const tell = (message: string, fields?: LogFields): void => {
    told.push({ message, fields });
  };
  const log: Log = { debug: () => {}, info: tell, warn: note, error: note };
  const watchers = createWatchers({ clock, view: () => view });
  const connected = recording && connectCounter(recording.metrics, () => view);
  const http = createHttpClient(clock, connected);
  const grpc = createGrpcClients(clock, connected);
  const callers = { http, grpc, random };
  const listeners = createListeners('127.0.0.1', {
    view: () => view,
    watchers,
    services: {
      http,
      grpc,
      connected,
      health,
      tokens: createTokenCache(clock),
      passwords: createPasswordQueue(),
      random,
      log,
      ...(recording && { telemetry: createTelemetry({ callers, clock, log, format: 'json', ...recording }) }),
    },
    clock,
    limits,
  });
  const configure = async (resources: readonly object[]): Promise<void> => {
    store.replace(new Map([['test', resources.map(admitted)]]));
    view = buildView(store.snapshot());
    await listeners.reconcile(view);
  };
  await configure(describe(port));
  return {
    port,
    configure,
    logged,
    told,
    ports: listeners.ports,
    view: () => view,
    snapshot: store.snapshot,
    watchers,
    close: listeners.close,
    trace: () =>
      new Promise((resolve) => {
        const events: TraceEvent[] = [];
        const sink = {
          event: (event: TraceEvent) => void events.push(event),
          finished: () => {
            resolve(events);
          },
        };
        watchers.watch({}, sink);
      }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([listeners.close(0), http.close()]);
    },
  };
}

/** An object that is given again is the same resource, as one whose file did not change. */
const admitted = perObject((value: object) => ok(admit(value)));

function ok(admission: ReturnType<typeof admit>): Extract<ReturnType<typeof admit>, { ok: true }>['resource'] {
  if (!admission.ok) throw new Error(JSON.stringify(admission.violations));
  return admission.resource;
}

/** A Gateway for every host on the port, a route `r` with one rule `main`, and a backend at `upstream`. */
export function simpleSetup(
  port: number,
  upstream: number | string,
  more: { readonly rule?: object; readonly gateway?: object } = {},
): object[] {
  const target = typeof upstream === 'number' ? { host: '127.0.0.1', port: upstream } : { unixPath: upstream };
  const backendRefs = [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'b' }];
  const gateway = { gatewayClassName: 'x', listeners: [{ name: 'http', port, protocol: 'HTTP' }], ...more.gateway };
  return [
    { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', metadata: { name: 'gw' }, spec: gateway },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: 'r' },
      spec: { parentRefs: [{ name: 'gw' }], rules: [{ name: 'main', backendRefs, ...more.rule }] },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata: { name: 'b' },
      spec: { static: target },
    },
  ];
}

/** A ProxyPolicy for one of the objects of `simpleSetup`. */
export function policy(
  target: 'Gateway' | 'HTTPRoute' | 'ProxyBackend',
  section: object,
  name = target.toLowerCase(),
): object {
  const group = target === 'ProxyBackend' ? 'proxy.example' : 'gateway.networking.k8s.io';
  const targetName = { Gateway: 'gw', HTTPRoute: 'r', ProxyBackend: 'b' }[target];
  return {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyPolicy',
    metadata: { name },
    spec: { targetRefs: [{ group, kind: target, name: targetName }], ...section },
  };
}

/** An HTTP upstream that notes what reaches it. */
export interface Upstream extends AsyncDisposable {
  readonly port: number;
  readonly received: readonly {
    readonly method: string;
    readonly url: string;
    readonly rawHeaders: readonly string[];
    body: string;
  }[];
}

export async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end('hello'),
): Promise<Upstream> {
  const received: { method: string; url: string; rawHeaders: readonly string[]; body: string }[] = [];
  const server = createHttpServer((request, response) => {
    const { method = '', url = '', rawHeaders } = request;
    const seen = { method, url, rawHeaders, body: '' };
    received.push(seen);
    request.setEncoding('latin1');
    request.on('data', (chunk: string) => {
      seen.body += chunk;
    });
    request.on('end', () => {
      answer(request, response);
    });
  });
  const port = await listening(server);
  return {
    port,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A TCP peer that does with each connection what `accept` says. */
export async function startTcp(accept: (socket: Socket) => void): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {
      // The proxy may cut it; that is what some tests are about.
    });
    accept(socket);
  });
  const port = await listening(server);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends bytes as they are and resolves to everything that comes back until the connection ends. */
export function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('close', () => {
      resolve(text);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
  });
}

/** One GET with `Connection: close`, as raw text. */
export function get(port: number, path = '/', headers: readonly string[] = ['Host: example.test']): Promise<string> {
  return raw(port, [`GET ${path} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'));
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function listening(server: ReturnType<typeof createServer> | ReturnType<typeof createHttpServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}
