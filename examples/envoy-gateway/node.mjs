// node.mjs SERVER ENVOY FOLDER: plays a node of a cluster. Every Pod that has a container `envoy` becomes an Envoy with a network namespace and an address of
// its own, and every Service of type LoadBalancer gets the address of the Pod behind it. SERVER is the address of `kubectl proxy`. Needs root.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [server, envoy, folder] = process.argv.slice(2);
const NODE = 'node';
const NET = '198.51.100';
const BRIDGE_ADDRESS = `${NET}.1`;
const XDS_HOST = /envoy-gateway\.envoy-gateway-system\.svc\.cluster\.local\.?/g;
const IN_POD =
  'read -r address && ip link set lo up && ip addr add "$address/24" dev eth0 && ip link set eth0 up && exec "$@"';
const PAUSE_MS = 150;

const pods = new Map();
let cables = 0;
// The lowest that is free comes first: so the only Envoy of the class `merged` has the one that shared.yaml names.
let free = Array.from({ length: 250 }, (_, index) => `${NET}.${index + 4}`);

process.once('SIGTERM', () => {
  for (const { child } of pods.values()) child.kill('SIGKILL');
  process.exit();
});
await send('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } });
for (;;) {
  try {
    await reconcile();
  } catch (error) {
    console.error(String(error));
  }
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

async function reconcile() {
  const { items } = await send('GET', '/api/v1/pods');
  const there = new Set(items.map(({ metadata }) => metadata.uid));
  for (const [uid, pod] of pods) if (!there.has(uid)) end(uid, pod);
  await Promise.all(items.map(handlePod));
  const services = await send('GET', '/api/v1/services');
  await Promise.all(services.items.map(async (service) => giveAddress(service, items)));
}

async function handlePod(object) {
  const { uid, name, namespace, deletionTimestamp } = object.metadata;
  const place = `/api/v1/namespaces/${namespace}/pods/${name}`;
  if (deletionTimestamp !== undefined) {
    if (pods.has(uid)) end(uid, pods.get(uid));
    await send('DELETE', `${place}?gracePeriodSeconds=0`);
    return;
  }
  if (object.spec.nodeName === undefined)
    await send('POST', `${place}/binding`, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name },
      target: { kind: 'Node', name: NODE },
    });
  const pod = pods.get(uid) ?? (await start(object));
  if (pod === undefined || pod.told === true) return;
  const ready = await isReady(pod.address);
  // Envoy waits for an answer about its own endpoints, and these are where a Pod has an address.
  if (ready || pod.told === undefined)
    await send('PATCH', `${place}/status`, { status: statusOf(object, pod.address, ready) });
  pod.told = ready;
}

/** Undefined while a volume is not there yet. */
async function start({ metadata, spec }) {
  const container = spec.containers.find((one) => one.name === 'envoy');
  const root = path.join(folder, metadata.name);
  const volumes = await Promise.all((spec.volumes ?? []).map(async (one) => filesOf(metadata.namespace, one)));
  if (container === undefined || volumes.includes(undefined) || pods.has(metadata.uid)) return pods.get(metadata.uid);
  const places = container.volumeMounts.map(({ mountPath }) => mountPath);
  const placed = (text) =>
    places.reduce((all, one) => all.replaceAll(`${one}/`, `${root}${one}/`), text).replaceAll(XDS_HOST, BRIDGE_ADDRESS);
  for (const { mountPath, name } of container.volumeMounts) {
    mkdirSync(root + mountPath, { recursive: true });
    const files = volumes.find((one) => one.name === name)?.files ?? {};
    for (const [file, bytes] of Object.entries(files))
      writeFileSync(path.join(root, mountPath, file), placed(bytes.toString('utf8')));
  }
  const env = { ENVOY_POD_NAME: metadata.name, ENVOY_POD_NAMESPACE: metadata.namespace };
  const args = container.args.map((one) => placed(one.replaceAll(/\$\((\w+)\)/g, (all, name) => env[name] ?? all)));
  const address = free.shift();
  const child = spawn('unshare', ['--net', 'sh', '-c', IN_POD, 'pod', envoy, ...args, '--concurrency', '1'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const pod = { address, child };
  pods.set(metadata.uid, pod);
  await connect(pod);
  console.log(`${metadata.namespace}/${metadata.name} at ${address}`);
  return pod;
}

async function connect({ address, child }) {
  const ours = readlinkSync('/proc/self/ns/net');
  while (readlinkSync(`/proc/${child.pid}/ns/net`) === ours) await new Promise((resolve) => setTimeout(resolve, 5));
  const cable = `pod${(cables += 1)}`; // that of an earlier Pod with this address may not have gone yet
  ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(child.pid));
  ip('link', 'set', cable, 'master', 'pods', 'up');
  child.stdin.end(`${address}\n`);
}

function end(uid, { address, child }) {
  pods.delete(uid);
  child.kill('SIGKILL');
  child.once('exit', () => (free = [address, ...free].toSorted((one, other) => byte(one) - byte(other))));
}

async function filesOf(namespace, { name, secret, configMap }) {
  const kind = secret === undefined ? 'configmaps' : 'secrets';
  if (secret === undefined && configMap === undefined) return { name, files: {} };
  const { data } = await send('GET', `/api/v1/namespaces/${namespace}/${kind}/${secret?.secretName ?? configMap.name}`);
  if (data === undefined) return undefined;
  const decode = secret === undefined ? 'utf8' : 'base64';
  const items = (secret ?? configMap).items ?? Object.keys(data).map((key) => ({ key, path: key }));
  return { name, files: Object.fromEntries(items.map((item) => [item.path, Buffer.from(data[item.key], decode)])) };
}

async function isReady(address) {
  try {
    return (await fetch(`http://${address}:19003/ready`, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}

function statusOf({ spec }, address, ready) {
  const now = new globalThis.Date().toISOString();
  const since = { lastProbeTime: null, lastTransitionTime: now };
  const told = { ...since, status: ready ? 'True' : 'False' };
  return {
    phase: 'Running',
    startTime: now,
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: [
      ...['PodScheduled', 'Initialized'].map((type) => ({ type, status: 'True', ...since })),
      ...['ContainersReady', 'Ready'].map((type) => ({ type, ...told })),
    ],
    containerStatuses: spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: image,
      ready,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    })),
  };
}

async function giveAddress({ metadata, spec, status }, items) {
  if (spec.type !== 'LoadBalancer') return;
  const behind = items.find(
    ({ metadata: { labels = {}, namespace, uid } }) =>
      namespace === metadata.namespace &&
      pods.get(uid)?.told === true &&
      Object.entries(spec.selector ?? {}).every(([key, value]) => labels[key] === value),
  );
  const address = behind === undefined ? undefined : pods.get(behind.metadata.uid).address;
  if (address === undefined || status.loadBalancer?.ingress?.[0]?.ip === address) return;
  await send('PATCH', `/api/v1/namespaces/${metadata.namespace}/services/${metadata.name}/status`, {
    status: { loadBalancer: { ingress: [{ ip: address, ipMode: 'VIP' }] } },
  });
}

async function send(method, place, object) {
  const answer = await fetch(server + place, {
    method,
    headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
    ...(object !== undefined && { body: JSON.stringify(object) }),
  });
  return answer.json();
}

function byte(address) {
  return Number(address.split('.')[3]);
}

function ip(...args) {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}
