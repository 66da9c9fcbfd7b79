// neighbour.mjs KEY CERTIFICATE: others who use the API server of the kubeconfig, as they may on any cluster. A mutating webhook puts a label, an annotation
// and a finalizer on what the suite makes, and answers many a write with a conflict. A second client applies every object under a name of its own and writes
// it back as soon as it hears of it, adds to statuses what the controller of somebody else would, and takes the finalizer off when it gets round to it.
import { once } from 'node:events';
import { createServer } from 'node:https';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { openServer, textOf } from './server.mjs';

const NAME = 'neighbour.example';
const FINALIZER = `${NAME}/tidy`;
const PORT = 9443;
const TIDY_MS = 400;
const RETRY_MS = 500;
/** So often an object is written back for each change of it. */
const TIMES = 3;
const CONFLICTS = 0.2;
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const LABEL = 'app.kubernetes.io/managed-by';
const SUITE = 'proxy-conformance';
const KINDS = {
  '/api/v1': ['services', 'secrets', 'configmaps', 'pods'],
  '/apis/discovery.k8s.io/v1': ['endpointslices'],
  '/apis/gateway.networking.k8s.io/v1': ['gatewayclasses', 'gateways', 'listenersets', 'httproutes'],
  '/apis/gateway.networking.k8s.io/v1beta1': ['referencegrants'],
  '/apis/inference.networking.k8s.io/v1': ['inferencepools'],
  '/apis/proxy.example/v1alpha1': ['proxybackends', 'proxymodels', 'proxyparameters', 'proxypolicies'],
};

const [key, certificate] = process.argv.slice(2).map((file) => readFileSync(file));
const ask = openServer(process.env.KUBECONFIG);
/** By uid: how often it was written back at which generation, or that it is being tidied up. */
const seen = new Map();

const reviewer = createServer({ key, cert: certificate }, (request, answer) => void judge(request, answer));
reviewer.listen(PORT, '127.0.0.1');
await once(reviewer, 'listening');
await register();
for (const [root, plurals] of Object.entries(KINDS)) for (const plural of plurals) void watch(`${root}/${plural}`);

async function judge(request, answer) {
  const { apiVersion, kind, request: asked } = JSON.parse(await textOf(request));
  answer.setHeader('content-type', 'application/json');
  answer.end(JSON.stringify({ apiVersion, kind, response: { uid: asked.uid, ...review(asked) } }));
}

async function register() {
  const webhook = {
    name: `webhook.${NAME}`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    objectSelector: { matchLabels: { [LABEL]: SUITE } },
    rules: [
      {
        apiGroups: ['*'],
        apiVersions: ['*'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        resources: Object.values(KINDS).flat(),
      },
    ],
    clientConfig: { url: `https://127.0.0.1:${PORT}/`, caBundle: certificate.toString('base64') },
  };
  const group = 'admissionregistration.k8s.io/v1';
  const kind = 'MutatingWebhookConfiguration';
  const body = JSON.stringify({ apiVersion: group, kind, metadata: { name: NAME }, webhooks: [webhook] });
  const { status, text } = await say(`/apis/${group}/mutatingwebhookconfigurations`, { method: 'POST', body });
  console.log('registered', status, status === 201 ? '' : text);
}

/** What the webhook says of a write. */
function review({ operation, object, options, dryRun }) {
  const isOfSuite = operation === 'DELETE' || options?.fieldManager === 'conform';
  if (isOfSuite && !dryRun && Math.random() < CONFLICTS)
    return { allowed: false, status: { code: 409, reason: 'Conflict', message: 'the object has been modified' } };
  if (operation === 'DELETE' || object.metadata.deletionTimestamp !== undefined) return { allowed: true };
  const { labels, annotations, finalizers = [] } = object.metadata;
  const value = {
    ...object.metadata,
    labels: { ...labels, [`${NAME}/team`]: 'blue' },
    annotations: { ...annotations, [`${NAME}/checked`]: 'yes' },
    finalizers: [...new Set([...finalizers, FINALIZER])],
  };
  const patch = JSON.stringify([{ op: 'replace', path: '/metadata', value }]);
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') };
}

/** Never ends. */
async function watch(resource) {
  for (;;) {
    try {
      const answer = await ask(`${resource}?watch=1&resourceVersion=0&labelSelector=${LABEL}=${SUITE}`);
      for await (const line of createInterface({ input: answer })) {
        const { type, object } = JSON.parse(line);
        if (type === 'ADDED' || type === 'MODIFIED') void look(resource, object).catch((error) => console.error(error));
        else if (type === 'DELETED') seen.delete(object.metadata.uid);
        else console.error(resource, line);
      }
    } catch (error) {
      console.error(resource, String(error));
    }
    await pause(RETRY_MS);
  }
}

async function look(resource, object) {
  const { namespace, name, uid, deletionTimestamp, generation = 0 } = object.metadata;
  const [, root, plural] = /^(.*)\/(\w+)$/.exec(resource);
  const place = `${root}/${namespace === undefined ? '' : `namespaces/${namespace}/`}${plural}/${name}`;
  const { generation: known, times = 0, leaving } = seen.get(uid) ?? {};
  if (leaving) return;
  if (deletionTimestamp !== undefined) {
    seen.set(uid, { leaving: true });
    await pause(TIDY_MS);
    const { status } = await say(place, { method: 'PATCH', type: MERGE, body: '{"metadata":{"finalizers":null}}' });
    // Whatever was wrong, the next look is another try.
    if (status >= 300) seen.delete(uid);
    return;
  }
  const now = known === generation ? times : 0;
  if (now >= TIMES) return;
  seen.set(uid, { generation, times: now + 1 });
  await (now === 0 ? applyToo(place, object) : writeBack(place, object, now));
  if (plural === 'proxypolicies') await addStatus(place);
}

/** The object is then of two: what one of them takes out stays. */
async function applyToo(place, object) {
  const { namespace, name, labels, annotations } = object.metadata;
  const body = JSON.stringify({ ...object, status: undefined, metadata: { namespace, name, labels, annotations } });
  await say(`${place}?fieldManager=neighbour&force=true`, { method: 'PATCH', type: APPLY, body });
}

async function writeBack(place, object, times) {
  const annotations = { ...object.metadata.annotations, [`${NAME}/seen`]: `${times}` };
  const body = JSON.stringify({ ...object, metadata: { ...object.metadata, annotations } });
  await say(place, { method: 'PUT', body });
}

/** Over what the writer of statuses may just be writing. */
async function addStatus(place) {
  const { status: code, text } = await say(place, {});
  if (code !== 200) return;
  const object = JSON.parse(text);
  const controllerName = `${NAME}/controller`;
  const condition = { type: 'Accepted', status: 'False', reason: 'NotOurs', message: '' };
  const conditions = [{ ...condition, lastTransitionTime: object.metadata.creationTimestamp }];
  const others = (object.status?.ancestors ?? []).filter((one) => one.controllerName !== controllerName);
  const ancestors = [...others, { ancestorRef: { name: 'elsewhere' }, controllerName, conditions }];
  const body = JSON.stringify({ ...object, status: { ...object.status, ancestors } });
  await say(`${place}/status`, { method: 'PUT', body });
}

/** The answer, read. Of conflicts, and of what has gone meanwhile, nobody need hear. */
async function say(place, call) {
  const answer = await ask(place, call);
  const text = await textOf(answer);
  const status = answer.statusCode;
  if (status >= 300 && status !== 404 && status !== 409) console.error(place, status, text.slice(0, 300));
  return { status, text };
}
