// `npm run real-api-server`: our CustomResourceDefinitions and those of the Gateway API on a real Kubernetes API server, started for this on
// loopback; what it says of every document of the admission cases (creation as dry run) and of every status of the status cases (update as dry
// run) is compared with what the reference says. See README.md beside this file.
import path from 'node:path';
import {
  type CaseDocument,
  caseDocuments,
  knownDifferences,
  type Pair,
  referenceVerdicts,
  unexplained,
  type Verdict,
} from '../verdicts.ts';
import type { ApiClient } from './api-client.ts';
import { install } from './install.ts';
import { buildPrograms } from './programs.ts';
import { startServer } from './start-server.ts';
import { statusPairs } from './status-pairs.ts';

const FOLDER = 'docs/tools/real-api-server';
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
