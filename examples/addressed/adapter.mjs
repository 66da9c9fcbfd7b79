// The reference behind one address per Gateway: each gets an address of loopback of its own, which its status tells once something listens
// there. What comes in goes on to a port of the one program behind all of them that no other Gateway has.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';

const PROGRAM = path.join(import.meta.dirname, '../../bin/refproxy.mjs');
const KINDS = [
  'Gateway',
  'ListenerSet',
  'HTTPRoute',
  'ReferenceGrant',
  'ProxyBackend',
  'ProxyModel',
  'ProxyParameters',
  'ProxyPolicy',
];
const OTHERS = ['Namespace', 'Service', 'EndpointSlice', 'Secret', 'ConfigMap', 'GatewayClass', 'InferencePool', 'Pod'];

/** `namespace/name` to where the Gateway is: its address, and the front of each of its ports. */
const gateways = new Map();
let program;
let folder;
let given = 0;

const commands = {
  hello: () => ({
    protocol: 1,
    implementation: { name: 'addressed', language: 'javascript' },
    features: Object.fromEntries(FEATURES.map((name) => [name, 'yes'])),
    ops: ['status'],
  }),
  start: async ({ dir, ports }) => {
    folder = dir;
    const words = ['serve', '--config', dir, '--admin-port', String(ports.admin)];
    program = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['ignore', 'inherit', 'inherit'] });
    program.once('exit', (code) => process.exit(code ?? 1));
    return { ok: true };
  },
  apply: async ({ resources }) => {
    const strange = resources.filter(({ kind }) => ![...KINDS, ...OTHERS].includes(kind));
    if (strange.length > 0)
      return { rejected: strange.map(({ kind }) => ({ resource: kind, message: `there is no kind ${kind} here` })) };
    const here = await Promise.all(resources.map(placed));
    await closeOthers(resources);
    const draft = path.join(folder, '.all.draft');
    writeFileSync(draft, here.map((resource) => `---\n${JSON.stringify(resource)}\n`).join(''));
    renameSync(draft, path.join(folder, 'all.yaml'));
    return { ok: true };
  },
  op: async ({ op, input }) =>
    op === 'status' && input.kind === 'Gateway'
      ? { result: { status: await statusOf(`${input.namespace}/${input.name}`) } }
      : { unsupported: `op ${op}` },
  stop: async () => {
    program.removeAllListeners('exit');
    program.kill();
    await once(program, 'exit');
    return { ok: true };
  },
};

const FEATURES = [
  'core.http',
  'core.match',
  'core.weights',
  'core.filters',
  'core.filters.mirror',
  'core.listenerset',
  'core.service',
  'core.referencegrant',
  'core.reload',
  'policy.attach',
  'policy.merge',
  'traffic.headerModifiers',
  'traffic.directResponse',
  'traffic.transformation',
  'traffic.timeouts',
  'frontend.connect',
  'backend.ai',
  'backend.ai.routes',
  'backend.ai.passthrough',
  'backend.ai.realtime',
  'backend.ai.defaults',
  'backend.ai.transformations',
  'backend.ai.prompt',
  'backend.ai.promptCaching',
  'backend.models',
  'ai.variables',
  'ai.modelCatalog',
  'traffic.rateLimit.global',
];

/** The resource with the ports behind the fronts in the place of those that its listeners name. */
async function placed(resource) {
  const { kind, metadata, spec } = resource;
  if (kind !== 'Gateway' && kind !== 'ListenerSet') return resource;
  const parent = kind === 'Gateway' ? metadata : { namespace: metadata.namespace, ...spec.parentRef };
  const gateway = gatewayAt(`${parent.namespace}/${parent.name}`);
  const listeners = spec.listeners.map(async (one) => ({ ...one, port: (await frontOf(gateway, one.port)).behind }));
  return { ...resource, spec: { ...spec, listeners: await Promise.all(listeners) } };
}

function gatewayAt(key) {
  const gateway = gateways.get(key) ?? { address: nextAddress(), fronts: new Map() };
  gateways.set(key, gateway);
  return gateway;
}

/** Of 127.0.0.0/8, which is loopback as a whole; what begins with 127.0 is left to others. */
function nextAddress() {
  const number = given++;
  return [127, 1 + ((number >> 16) & 127), (number >> 8) & 255, number & 255].join('.');
}

/** Whoever connects to the port at the address of the Gateway is led to a port of the program that belongs to both. */
function frontOf({ address, fronts }, port) {
  const front = fronts.get(port) ?? openFront(address, port);
  fronts.set(port, front);
  return front;
}

async function openFront(host, port) {
  const behind = await freePort();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const inner = connect({ host: '127.0.0.1', port: behind, allowHalfOpen: true });
    client.pipe(inner).pipe(client);
    client.once('error', () => inner.destroy()).once('close', () => inner.destroy());
    inner.once('error', () => client.resetAndDestroy()).once('close', () => client.destroySoon());
  });
  await once(server.listen(port, host), 'listening');
  return { behind, server };
}

async function closeOthers(resources) {
  const kept = new Set(
    resources.filter(({ kind }) => kind === 'Gateway').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  );
  for (const [key, { fronts }] of gateways) {
    if (kept.has(key)) continue;
    gateways.delete(key);
    for (const front of fronts.values()) (await front).server.close();
  }
}

async function statusOf(key) {
  const gateway = gateways.get(key);
  if (gateway === undefined) return null;
  const fronts = await Promise.all(gateway.fronts.values());
  const listening = await Promise.all(fronts.map(({ behind }) => listens(behind)));
  const status = listening.every(Boolean) ? 'True' : 'False';
  return {
    addresses: [{ type: 'IPAddress', value: gateway.address }],
    conditions: [{ type: 'Programmed', status, reason: status === 'True' ? 'Programmed' : 'Pending' }],
  };
}

async function listens(port) {
  const socket = connect({ host: '127.0.0.1', port });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { seq, cmd, ...message } = JSON.parse(line);
  const answer = await (commands[cmd]?.(message) ?? { unsupported: `cmd ${cmd}` });
  console.log(JSON.stringify({ seq, ...answer }));
}
