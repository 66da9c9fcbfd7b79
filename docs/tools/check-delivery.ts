// `npm run check:delivery -- KUBECONFIG [PATTERN...]`: hands the resources of every case that sends traffic to a real API server as a run does, by
// server-side apply into namespaces of its own, prints what is refused and deletes everything again. The server needs the definitions of
// reference-impl/crds, of the Gateway API and of InferencePool. Peers have an address of documentation, and nobody has to follow the server.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { caseDocuments } from '../../conformance/runner/case/case-documents.ts';
import { EVERYTHING } from '../../conformance/runner/case/select.ts';
import { loadRunnable } from '../../conformance/runner/load-suite.ts';
import { needsLive } from '../../conformance/runner/schedule/prepare-case.ts';
import { canonical } from '../../conformance/runner/sut/dialect.ts';
import { apiServer } from '../../conformance/runner/sut/kubernetes/api-server.ts';
import { createKubernetesClient } from '../../conformance/runner/sut/kubernetes/client.ts';
import { kubernetesDelivery } from '../../conformance/runner/sut/kubernetes/kubernetes-delivery.ts';
import { prefixedNamespaces } from '../../conformance/runner/sut/kubernetes/namespaces.ts';

const BATCH = 64;
const CONFIG = /#config(\.\d+)?$/;

const [kubeconfig, ...patterns] = process.argv.slice(2);
if (kubeconfig === undefined) {
  console.error('usage: npm run check:delivery -- KUBECONFIG [PATTERN...]');
  process.exit(2);
}
const client = createKubernetesClient(apiServer({ kubeconfig: path.resolve(kubeconfig) }, '.', 'check-delivery'));
// What an earlier run has left may be on its way out.
const { deliver, clean } = kubernetesDelivery(client, canonical, {
  ...prefixedNamespaces(`conf-${randomBytes(3).toString('hex')}-`),
});
const { cases } = await loadRunnable({ selection: { ...EVERYTHING, patterns } });
const live = cases.filter(needsLive).map((one) => {
  const documents = caseDocuments(one).filter(({ id }) => CONFIG.test(id));
  return { one, resources: documents.map(({ resource }) => resource) };
});

const refusals: string[] = [];
for (let at = 0; at < live.length; at += BATCH) {
  const batch = live.slice(at, at + BATCH);
  const files = new Map(batch.map(({ one, resources }) => [one.namespace, resources]));
  const outcome = await deliver({ revision: at, files, changed: [...files.keys()] });
  if (outcome.kind === 'failed') throw new Error(outcome.message);
  if (outcome.kind === 'rejected')
    for (const { namespace, resource = '', path: place = '', message } of outcome.violations) {
      const id = batch.find(({ one }) => one.namespace === namespace)?.one.id ?? '';
      refusals.push(`${id}: ${resource} ${place} ${message}`);
    }
}
await clean();
for (const refusal of refusals) console.log(refusal);
const count = live.reduce((sum, { resources }) => sum + resources.length, 0);
console.log(`${count} resources of ${live.length} cases, ${refusals.length} refusals`);
process.exitCode = refusals.length === 0 ? 0 : 1;
