import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reportSchema } from '../report/report-schema.ts';
import { packageRoot } from '../values/package-root.ts';
import { START_ROOM } from '../values/start-room.ts';
import { makeNetworkNamespace, OWN_ADDRESS, whyNoNamespace } from './support/network-namespace.ts';

const bin = path.join(packageRoot(), 'bin');
const MANIFEST = `contract: 1
implementation: { name: elsewhere }
run:
  kind: process
  command:
    - '${process.execPath}'
    - ${START_ROOM.join('\n    - ')}
    - '${path.join(bin, 'refproxy.mjs')}'
    - serve
    - --listen-address
    - ${OWN_ADDRESS}
    - --config
    - '{{dir}}'
    - --admin-port
    - '{{port.admin}}'
peers: { address: ${OWN_ADDRESS} }
endpoints: { data: 'http://${OWN_ADDRESS}:{{port.data}}', admin: 'http://127.0.0.1:{{port.admin}}' }
features:
  {
    core.http: yes, core.service: yes, policy.attach: yes, backend.health: yes, backend.tls: yes, backend.ai: yes, backend.models: yes,
    backend.ai.routes: yes, backend.ai.passthrough: yes, traffic.authorization: yes, traffic.extAuth: yes, traffic.extAuth.grpc: yes,
    traffic.extAuth.http: yes, trace.watch: yes, trace.ui: yes,
  }
`;
/** Of rows about what is sent one is enough, since where it goes does not change that. Backends in every way there is to speak to them, Services and their slices, certificates for addresses, base URLs, who the client is, the admin listener, a name of a peer. */
const CASES = [
  'backend.static.service-host-header',
  'backend.health.one-failure',
  'backend.health.every-way*',
  'backend.health.one-connection',
  'backend.health.consecutive-at-a-service',
  'backend.health.threshold-at-a-service[connection]',
  'backend.tls.trusted-ca',
  'backend.tls.server-name[destination]',
  'ai.model-provider.*',
  'traffic.authorization.network-range',
  'traffic.ext-auth.each-request[default]',
  'trace.stream.ui',
];

test('peers and proxy away from loopback', async (context) => {
  const why = whyNoNamespace();
  if (why !== undefined) context.skip(`not run: ${why}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-elsewhere-'));
  const own = makeNetworkNamespace();
  try {
    const manifest = path.join(folder, 'implementation.yaml');
    await writeFile(manifest, MANIFEST);
    const conform = path.join(bin, 'conform.mjs');
    const flags = ['--impl', manifest, '--out', path.join(folder, 'out'), '--level', 'must'];
    const ended = await own.run([process.execPath, ...START_ROOM, conform, 'run', ...CASES, ...flags]);
    const { cases } = reportSchema.parse(JSON.parse(await readFile(path.join(folder, 'out/report.json'), 'utf8')));
    const verdicts = Map.groupBy(cases, ({ verdict }) => verdict);
    const idsOf = (verdict: (typeof cases)[number]['verdict']): readonly string[] =>
      (verdicts.get(verdict) ?? []).map(({ id }) => id);
    expect([...verdicts.keys()].toSorted(), ended.stdout).toEqual(['pass', 'unsupported']);
    expect(idsOf('pass').length).toBeGreaterThan(10);
    // None of them is here for nothing: a feature that the manifest forgets would take it out unseen.
    const ran = CASES.filter((pattern) => idsOf('pass').some((id) => id.startsWith(pattern.replace(/\*$/, ''))));
    expect(CASES.filter((pattern) => !ran.includes(pattern))).toEqual(['backend.tls.server-name[destination]']);
    expect(idsOf('unsupported')).toContain('backend.tls.server-name[destination]');
    expect(ended.code).toBe(0);
  } finally {
    own.remove();
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
