import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { strategicMergePatch } from '../../../admin/resource-api/patch/strategic-merge-patch.ts';
import type { Fields } from '../../../resources/groups.ts';
import type { KindName } from '../../../resources/kinds.ts';

/* The orchestrator's own client is the second opinion on strategic merge patches. */

const isInstalled = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
if (!isInstalled) console.warn('kubectl is not installed: patches are not compared with it');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'patch-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 's',
    finalizers: ['a', 'b'],
    labels: { x: '1' },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u' }],
  },
  spec: {
    ports: [
      { name: 'p80', port: 80 },
      { name: 'p81', port: 81 },
      { name: 'p82', port: 82 },
    ],
  },
};
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v', l: 'w' } };

test.skipIf(!isInstalled).each<[KindName, Fields, Fields]>([
  ['Service', SERVICE, { spec: { ports: [{ port: 81, name: 'z' }] } }],
  ['Service', SERVICE, { spec: { ports: [{ port: 90, name: 'new' }] } }],
  [
    'Service',
    SERVICE,
    {
      spec: {
        ports: [
          { port: 90, name: 'new' },
          { port: 81, protocol: 'UDP' },
        ],
      },
    },
  ],
  ['Service', SERVICE, { spec: { ports: [{ port: 80, $patch: 'delete' }] } }],
  ['Service', SERVICE, { spec: { ports: [{ $patch: 'replace' }, { port: 9 }] } }],
  ['Service', SERVICE, { spec: { '$setElementOrder/ports': [{ port: 82 }, { port: 80 }, { port: 81 }] } }],
  [
    'Service',
    SERVICE,
    {
      spec: {
        '$setElementOrder/ports': [{ port: 82 }, { port: 90 }, { port: 80 }],
        ports: [{ port: 90 }, { port: 81, $patch: 'delete' }],
      },
    },
  ],
  ['Service', SERVICE, { metadata: { finalizers: ['b', 'c'] } }],
  ['Service', SERVICE, { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } }],
  ['Service', SERVICE, { metadata: { ownerReferences: [{ uid: 'u', name: 'd' }] } }],
  ['Service', SERVICE, { metadata: { labels: { x: null, y: '2' } } }],
  ['ConfigMap', CONFIG_MAP, { data: { k: null, m: 'x' } }],
  ['ConfigMap', CONFIG_MAP, { data: { $patch: 'replace', m: 'x' } }],
  ['ConfigMap', CONFIG_MAP, { data: { $patch: 'delete' } }],
  ['ConfigMap', CONFIG_MAP, { data: { $retainKeys: ['l', 'n'], n: 'o' } }],
  ['ConfigMap', CONFIG_MAP, { data: null }],
])('%s: %j with %j comes out as with kubectl', (kind, original, patch) => {
  expect(strategicMergePatch(kind, original, patch)).toEqual({ value: kubectlPatch(original, patch) });
});

function kubectlPatch(original: Fields, patch: Fields): unknown {
  const file = join(folder, 'original.json');
  writeFileSync(file, JSON.stringify(original));
  const args = ['patch', '--local', '-f', file, '--type', 'strategic', '-o', 'json', '-p', JSON.stringify(patch)];
  return JSON.parse(execFileSync('kubectl', args, { encoding: 'utf8' }));
}
