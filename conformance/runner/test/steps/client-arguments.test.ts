import { expect, test } from 'vitest';
import { clientCommand } from '../../steps/client-process.ts';
import { clusterPrefix } from '../../sut/kubernetes/cluster.ts';
import { inNamespaces, prefixedNamespaces } from '../../sut/kubernetes/namespaces.ts';
import { RUN } from '../../sut/kubernetes/run-mark.ts';
import { parseManifest } from '../../sut/manifest.ts';
import type { Resource } from '../../sut/session.ts';
import { stepContext } from '../support/step-context.ts';

const NOWHERE = { host: '127.0.0.1', port: 1 };

test.each([
  ['run: { kind: process, command: [x] }', 'c-1'],
  ["run: { kind: process, command: [x], config: { deliver: kubernetes, server: 'http://127.0.0.1:1' } }", 'c-1'],
  [
    "run: { kind: process, command: [x], config: { deliver: kubernetes, server: 'http://127.0.0.1:1', namespacePrefix: conf- } }",
    'conf-c-1',
  ],
  [
    "run: { kind: kubernetes, kubeconfig: k, namespacePrefix: conf- }\nendpoints: { data: 'http://127.0.0.1:1' }",
    `conf-${RUN}-c-1`,
  ],
])('%s: the trace client is told the namespace %s', async (run, namespace) => {
  const manifest = parseManifest(
    `contract: 1\nimplementation: { name: x }\n${run}\ncli: { trace: [trace] }\n`,
    'implementation.yaml',
  );
  const { session, ...context } = await stepContext({ data: NOWHERE, admin: NOWHERE }, { manifest });
  const { theirs } = prefixedNamespaces(clusterPrefix(manifest));
  const asDelivered = (resource: Resource): unknown => inNamespaces(resource, theirs);
  const args = ['gateway/c-10', '--namespace', 'c-1', '--namespace=c-1-other', '--', 'http://c-1.test/', 'c-1.test'];
  const { command, relay } = await clientCommand({ args }, { ...context, session: { ...session, asDelivered } });
  relay.stop();
  expect(command).toEqual([
    'trace',
    'gateway/c-10',
    '--namespace',
    namespace,
    `--namespace=${namespace}-other`,
    '--',
    'http://c-1.test/',
    'c-1.test',
  ]);
});
