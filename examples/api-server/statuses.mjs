// statuses.mjs ADMIN ADDRESS [LATE_MS]: writes to the API server of the kubeconfig what a proxy says of every resource at GET /status of its admin
// endpoint, as a controller would: some time after a change, object by object. ADDRESS is that of every Gateway.
import { setTimeout as pause } from 'node:timers/promises';
import { openServer, textOf } from './server.mjs';

const GATEWAY_API = '/apis/gateway.networking.k8s.io/v1';
const OURS = '/apis/proxy.example/v1alpha1';
const PLACES = {
  GatewayClass: [GATEWAY_API, 'gatewayclasses'],
  Gateway: [GATEWAY_API, 'gateways'],
  ListenerSet: [GATEWAY_API, 'listenersets'],
  HTTPRoute: [GATEWAY_API, 'httproutes'],
  InferencePool: ['/apis/inference.networking.k8s.io/v1', 'inferencepools'],
  ProxyBackend: [OURS, 'proxybackends'],
  ProxyModel: [OURS, 'proxymodels'],
  ProxyPolicy: [OURS, 'proxypolicies'],
};
const AT_ONCE = 8;

const [admin, address, lateMs = '300'] = process.argv.slice(2);
const ask = openServer(process.env.KUBECONFIG);
/** By place: what was written there last. */
let written = new Map();

for (;;) {
  await pause(Number(lateMs));
  // The proxy may start later than this program.
  const told = await fetch(`${admin}/status`).then(
    (answer) => answer.json(),
    () => ({ resources: [] }),
  );
  const wanted = new Map(told.resources.flatMap(placed));
  const queue = [...wanted].filter(([place, status]) => written.get(place) !== status).values();
  // What is gone may come back under the same name.
  written = new Map([...written].filter(([place]) => wanted.has(place)));
  await Promise.all(Array.from({ length: AT_ONCE }, () => writeAll(queue)));
}

function placed({ kind, namespace, name, status }) {
  if (PLACES[kind] === undefined) return [];
  const [root, plural] = PLACES[kind];
  const place = `${root}/${namespace === '' ? '' : `namespaces/${namespace}/`}${plural}/${name}/status`;
  const addresses = kind === 'Gateway' ? { addresses: [{ type: 'IPAddress', value: address }] } : {};
  return [[place, JSON.stringify({ status: { ...status, ...addresses } })]];
}

async function writeAll(queue) {
  for (const [place, body] of queue) {
    try {
      const answer = await ask(place, { method: 'PATCH', type: 'application/merge-patch+json', body });
      const said = await textOf(answer);
      // 404: it was deleted a moment ago.
      if (answer.statusCode === 200 || answer.statusCode === 404) written.set(place, body);
      else console.error(place, answer.statusCode, said);
    } catch (error) {
      console.error(place, String(error));
    }
  }
}
