// What the null proxies share: an adapter that declares every feature and answers every operation with nothing, and listeners
// on every port the resources name. None of them does what a proxy is for, so no case that gates may pass against them.
import { readFileSync } from 'node:fs';
import { createServer, request as send } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';

const FEATURES = new URL('../../../docs/spec/features.yaml', import.meta.url);

/**
 * Answers the adapter protocol until standard input ends. `data` and `admin` make a server for a port; they get the state,
 * whose `resources` are always the last configuration. `admin` is `data` when absent.
 */
export function runNull({ data, admin = data }) {
  const state = { resources: [], served: () => {} };
  const listening = new Map();
  const handlers = {
    hello: async () => ({
      protocol: 1,
      implementation: { name: 'null' },
      features: Object.fromEntries(parse(readFileSync(FEATURES, 'utf8')).map(({ id }) => [id, 'yes'])),
      ops: ['effective-policy', 'validate'],
      unspecified: { 'U-001': 'POST' },
    }),
    start: async ({ ports }) => {
      state.dataPort = ports.data;
      await listen(data(state), ports.data, listening);
      await listen(admin(state), ports.admin, new Map());
      return { ok: true, ...ports };
    },
    apply: async ({ resources }) => {
      if (resources.some(isProbe)) return { rejected: [{ message: 'unknown kind' }] };
      state.resources = resources;
      const wanted = new Set([state.dataPort, ...listenersOf(resources).map(({ port }) => port)]);
      for (const [port, server] of listening) if (!wanted.has(port)) close(server, port, listening);
      for (const port of wanted) if (!listening.has(port)) await listen(data(state), port, listening);
      return { ok: true };
    },
    op: async ({ op, input }) => {
      if (op === 'effective-policy') return { result: {} };
      if (op === 'validate') return { result: { accepted: !isProbe(input.resource) } };
      return { unsupported: op };
    },
    stop: async () => ({ ok: true }),
  };
  const lines = createInterface({ input: process.stdin });
  const answer = async (line) => {
    const { seq, cmd, ...message } = JSON.parse(line);
    const said = Object.hasOwn(handlers, cmd) ? await handlers[cmd](message) : { unsupported: cmd };
    process.stdout.write(`${JSON.stringify({ seq, ...said })}\n`);
  };
  lines.on('line', (line) => void answer(line));
  lines.on('close', () => process.exit(0));
}

/** A server whose every HTTP request gets the same treatment. */
export function httpServer(handle) {
  return createServer((request, response) => {
    request.on('error', () => response.destroy());
    response.on('error', () => request.destroy());
    handle(request, response);
  });
}

/** A server whose every connection gets the same treatment. */
export function tcpServer(handle) {
  return createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    handle(socket);
  });
}

/** Relays a request as it came to a static backend, and its answer; 404 without a backend. */
export function relay(backend, request, response) {
  if (backend === undefined) {
    response.writeHead(404).end();
    return;
  }
  const { unixPath, host, port } = backend;
  const upstream = send({
    ...(unixPath === undefined ? { host, port } : { socketPath: unixPath }),
    method: request.method,
    path: request.url,
    headers: request.rawHeaders,
    agent: false,
  });
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  });
  upstream.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  request.pipe(upstream);
}

/** Every listener of the resources with the Gateway or ListenerSet it belongs to. */
export function listenersOf(resources) {
  return resources.flatMap(({ kind, metadata, spec }) =>
    (kind === 'Gateway' || kind === 'ListenerSet' ? spec.listeners : []).map((listener) => ({
      ...listener,
      kind,
      owner: metadata.name,
      namespace: metadata.namespace,
    })),
  );
}

/** Host and port, or the path of a socket, behind a backendRef; undefined when it leads nowhere. */
export function backendOf(ref, namespace, resources) {
  const named = (kind, name) =>
    resources.find(
      (one) =>
        one.kind === kind && one.metadata.name === name && one.metadata.namespace === (ref.namespace ?? namespace),
    );
  if (ref.kind === 'ProxyBackend') return named('ProxyBackend', ref.name)?.spec.static;
  const slice = resources.find(
    ({ kind, metadata }) =>
      kind === 'EndpointSlice' &&
      metadata.namespace === (ref.namespace ?? namespace) &&
      metadata.labels?.['kubernetes.io/service-name'] === ref.name,
  );
  const address = slice?.endpoints?.[0]?.addresses?.[0];
  return address === undefined ? undefined : { host: address, port: slice.ports[0].port };
}

// Just honest enough to be let in: what the runner asks to find liars is refused, and nothing else.
function isProbe({ kind }) {
  return /^Zz[0-9a-f]{8}$/.test(kind);
}

async function listen(server, port, listening) {
  listening.set(port, server);
  await new Promise((resolve) => {
    // A port that somebody else has is simply not served.
    server.once('error', resolve);
    server.listen(port, '127.0.0.1', resolve);
  });
}

function close(server, port, listening) {
  listening.delete(port);
  server.close();
}
