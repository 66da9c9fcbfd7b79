// `npm run real-api-server`: our CustomResourceDefinitions and those of the Gateway API on a real Kubernetes API server, started for this on
// loopback; what it says of every document of the admission cases (creation as dry run) and of every status of the status cases (update as dry
// run) is compared with what the reference says. See README.md beside this file.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import {
  type CaseDocument,
  caseDocuments,
  type Json,
  knownDifferences,
  type Pair,
  referenceVerdicts,
  run,
  unexplained,
  type Verdict,
} from '../verdicts.ts';
import type { ApiClient } from './api-client.ts';
import { type Programs, startServer } from './start-server.ts';
import { statusPairs } from './status-pairs.ts';

const FOLDER = 'docs/tools/real-api-server';
const CACHE = path.resolve('.cache/real-api-server');
const OURS = 'reference-impl/crds';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GATEWAY_API = 'sigs.k8s.io/gateway-api';
const ESTABLISHED_WITHIN_MS = 60_000;
const POLL_MS = 200;
const PARALLEL = 16;

const patterns = process.argv.slice(2);
const server = await startServer(buildPrograms());
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void server.stop().then(() => process.exit(1));
  });
try {
  const installed = await install(server.client);
  console.log(`${installed} definitions are installed`);
  const documents = caseDocuments(...(patterns.length === 0 ? ['resources'] : patterns));
  const creations = await creationPairs(documents, server.client);
  report('documents', creations);
  const statuses = await statusPairs(documents, creations, server.client);
  report('statuses', statuses);
  const problems = unexplained([...creations, ...statuses], knownDifferences(path.join(FOLDER, 'differences.yaml')));
  for (const problem of problems) console.log(problem);
  console.log(`${problems.length} differences without a reason, or reasons without a difference`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await server.stop();
}

/** The first time takes long, from then on Go sees that nothing has to be done. */
function buildPrograms(): Programs {
  mkdirSync(CACHE, { recursive: true });
  const programs = { etcd: path.join(CACHE, 'etcd'), apiServer: path.join(CACHE, 'kube-apiserver') };
  build('go.etcd.io/etcd/server/v3', programs.etcd);
  build('k8s.io/kubernetes/cmd/kube-apiserver', programs.apiServer);
  return programs;
}

function build(module: string, output: string): void {
  console.log(`building ${module}`);
  const { status, error } = spawnSync('go', ['build', '-ldflags', '-s -w', '-o', output, module], {
    cwd: FOLDER,
    stdio: 'inherit',
    env: { ...process.env, CGO_ENABLED: '0' },
  });
  if (status !== 0) throw new Error(`${module} cannot be built: ${error?.message ?? 'see above'}`);
}

/** Ours as `kubectl apply` would, annotation included; those of the Gateway API are larger than that allows. Throws when one is refused. */
async function install(client: ApiClient): Promise<number> {
  // No build needs its sources, so that nothing else has fetched them where Go's cache is new.
  run('go', ['-C', FOLDER, 'mod', 'download', GATEWAY_API]);
  const theirs = path.join(
    run('go', ['-C', FOLDER, 'list', '-m', '-f', '{{.Dir}}', GATEWAY_API]).trim(),
    'config/crd/experimental',
  );
  const definitions = [...definitionsIn(OURS).map(asApplied), ...definitionsIn(theirs)];
  for (const definition of definitions) {
    const { status, body } = await client.send('POST', DEFINITIONS, definition);
    if (status !== 201) throw new Error(`${nameOf(definition)} is refused: ${String(body['message'])}`);
  }
  await Promise.all(definitions.map(async (definition) => established(nameOf(definition), client)));
  return definitions.length;
}

function definitionsIn(folder: string): readonly Json[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(readFileSync(path.join(folder, name), 'utf8')))
    .map((document) => document.toJS() as Json)
    .filter(({ kind }) => kind === 'CustomResourceDefinition');
}

/** With the annotation in which `kubectl apply` keeps what it applied, escaped as Go does. */
function asApplied(definition: Json): Json {
  const metadata = definition['metadata'] as Json;
  const { annotations = {} } = metadata;
  const text = JSON.stringify(definition).replaceAll(
    /[<>&]/g,
    (found) => String.raw`\u00` + (found.codePointAt(0) ?? 0).toString(16),
  );
  const kept = { 'kubectl.kubernetes.io/last-applied-configuration': `${text}\n` };
  return { ...definition, metadata: { ...metadata, annotations: { ...(annotations as Json), ...kept } } };
}

function nameOf({ metadata }: Json): string {
  return String((metadata as Json)['name']);
}

async function established(name: string, client: ApiClient): Promise<void> {
  const until = performance.now() + ESTABLISHED_WITHIN_MS;
  for (;;) {
    const { body } = await client.send('GET', `${DEFINITIONS}/${name}`);
    const { conditions } = (body['status'] ?? {}) as { readonly conditions?: readonly Json[] | null };
    const isServed = (conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True');
    const [version] = ((body['spec'] as Json)['versions'] as readonly Json[]).filter(({ served }) => served === true);
    const { group, names } = body['spec'] as { readonly group: string; readonly names: { readonly plural: string } };
    const list = `/apis/${group}/${String(version?.['name'])}/${names.plural}`;
    // The server learns of it a moment after it says so.
    if (isServed && (await client.send('GET', list).catch(() => ({ status: 0 }))).status === 200) return;
    if (performance.now() > until) throw new Error(`${name} is not served`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function creationPairs(documents: readonly CaseDocument[], client: ApiClient): Promise<readonly Pair[]> {
  const reference = referenceVerdicts(documents);
  const pairs: Pair[] = [];
  const queue = documents.entries();
  const worker = async (): Promise<void> => {
    for (const [index, { id, resource }] of queue)
      pairs.push({ id, server: await client.dryRun(resource), reference: at(reference, index) });
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return pairs;
}

function report(what: string, pairs: readonly Pair[]): void {
  const differing = pairs.filter(({ server: one, reference }) => one.accepted !== reference.accepted).length;
  const accepted = pairs.filter(({ server: one }) => one.accepted).length;
  console.log(`${pairs.length} ${what} compared: the server accepts ${accepted}, ${differing} differ`);
}

function at(verdicts: readonly Verdict[], index: number): Verdict {
  const verdict = verdicts[index];
  if (verdict === undefined) throw new Error(`the reference has no verdict on document ${index + 1}`);
  return verdict;
}
