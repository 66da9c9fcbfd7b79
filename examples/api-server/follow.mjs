// follow.mjs FILE [PREFIX]: keeps in FILE what the API server of the kubeconfig has, for a proxy that reads files. Only namespaces that begin
// with PREFIX. It lists every kind once, then watches; where a watch ends, it goes on from the last version it saw.
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openServer, textOf } from './server.mjs';

/** What a proxy of these documents reads, by group and version. */
const KINDS = {
  '/api/v1': ['namespaces', 'services', 'secrets', 'configmaps', 'pods'],
  '/apis/discovery.k8s.io/v1': ['endpointslices'],
  '/apis/gateway.networking.k8s.io/v1': ['gatewayclasses', 'gateways', 'listenersets', 'httproutes'],
  '/apis/gateway.networking.k8s.io/v1beta1': ['referencegrants'],
  '/apis/inference.networking.k8s.io/v1': ['inferencepools'],
  '/apis/proxy.example/v1alpha1': ['proxybackends', 'proxymodels', 'proxyparameters', 'proxypolicies'],
};
const RETRY_MS = 500;
/** Changes that come together are written together. */
const GATHER_MS = 15;

const [file, prefix = ''] = process.argv.slice(2);
const ask = openServer(process.env.KUBECONFIG);
const objects = new Map();
let writing;

for (const [root, plurals] of Object.entries(KINDS)) for (const plural of plurals) void follow(`${root}/${plural}`);
write();

/** Never ends. */
async function follow(resource) {
  for (;;) {
    try {
      let version = await list(resource);
      while (version !== undefined) version = await watch(resource, version);
    } catch (error) {
      console.error(resource, String(error));
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Returns the version of the list. Objects that are no longer in it are gone. */
async function list(resource) {
  const answer = await ask(resource);
  const text = await textOf(answer);
  if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
  const { kind, apiVersion, items, metadata } = JSON.parse(text);
  for (const key of objects.keys()) if (key.startsWith(`${resource} `)) drop(key);
  for (const item of items) keep(resource, { apiVersion, kind: kind.replace(/List$/, ''), ...item });
  return metadata.resourceVersion;
}

/** Returns the version to go on from; undefined when that is too old, and everything has to be listed again. */
async function watch(resource, from) {
  let version = from;
  const answer = await ask(`${resource}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`);
  for await (const line of createInterface({ input: answer })) {
    const { type, object } = JSON.parse(line);
    if (type === 'ERROR') return undefined;
    version = object.metadata.resourceVersion;
    if (type === 'DELETED') drop(keyOf(resource, object));
    else if (type !== 'BOOKMARK') keep(resource, object);
  }
  return answer.statusCode === 200 ? version : undefined;
}

function keep(resource, object) {
  const metadata = { ...object.metadata, managedFields: undefined, resourceVersion: undefined };
  const namespace = resource.endsWith('/namespaces') ? metadata.name : (metadata.namespace ?? prefix);
  if (!namespace.startsWith(prefix)) return;
  const text = JSON.stringify({ ...object, metadata, ...(object.kind !== 'Pod' && { status: undefined }) });
  // What somebody writes into a status of ours changes nothing for the proxy.
  if (objects.get(keyOf(resource, object)) === text) return;
  objects.set(keyOf(resource, object), text);
  writing ??= setTimeout(write, GATHER_MS);
}

function drop(key) {
  if (objects.delete(key)) writing ??= setTimeout(write, GATHER_MS);
}

function keyOf(resource, { metadata: { namespace = '', name } }) {
  return `${resource} ${namespace}/${name}`;
}

/** Renamed, so that nobody reads half a file. */
function write() {
  writing = undefined;
  const draft = path.join(path.dirname(file), `.${path.basename(file)}`);
  writeFileSync(draft, [...objects.values()].map((text) => `---\n${text}\n`).join(''));
  renameSync(draft, file);
}
