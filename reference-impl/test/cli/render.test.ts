import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type RenderFlags, runRender } from '../../cli/render/run-render.ts';
import { gateway, parameters } from '../deployer/resources.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'render-'));
  writeFileSync(join(folder, 'gateway.json'), JSON.stringify(gateway()));
  writeFileSync(join(folder, 'parameters.json'), JSON.stringify(parameters('own', { logging: { level: 'warn' } })));
  writeFileSync(join(folder, 'notes.txt'), 'not a resource');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(flags: Partial<RenderFlags>, input = ''): Promise<Outcome> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: Readable.from([input]), stdout, stderr };
  const code = await runRender({ file: folder, output: 'yaml', ...flags }, streams);
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

test('a folder becomes one YAML document per manifest', async () => {
  const { code, out } = await run({});
  const kinds = parseAllDocuments(out).map((document) => document.get('kind'));
  expect({ code, kinds }).toEqual({
    code: 0,
    kinds: ['ServiceAccount', 'ConfigMap', 'Service', 'Deployment'],
  });
  expect(out).not.toMatch(/[&*]a1/);
});

test('the standard input becomes a JSON list', async () => {
  const resources = [gateway(), parameters('own', {})].map((each) => JSON.stringify(each)).join('\n---\n');
  const { code, out } = await run({ file: '-', output: 'json', gateway: 'ns/gw' }, resources);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ kind: 'List', items: { length: 4 } });
});

test('Secrets are printed only when they are asked for, and are valid then', async () => {
  const hidden = await run({});
  expect(hidden.out).not.toMatch(/kind: Secret|redacted/);
  expect(hidden.err).toContain('--show-secrets');
  const shown = await run({ showSecrets: true });
  expect(shown.out).toMatch(/key: [A-Za-z0-9+/]{80,}={0,2}\n/);
  expect(shown.err).toBe('');
});

test('null in an overlay removes only what was submitted by server-side apply', async () => {
  const spec = { deployment: { spec: { template: { spec: { serviceAccountName: null } } } } };
  writeFileSync(join(folder, 'parameters.json'), JSON.stringify(parameters('own', spec)));
  expect((await run({})).out).toContain('serviceAccountName: gw');
  expect((await run({ serverSide: true })).out).not.toContain('serviceAccountName: gw');
});

test('resources that make no workload end with 1', async () => {
  expect(await run({ gateway: 'other' })).toEqual({
    code: 1,
    out: '',
    err: 'render: no single Gateway "other": there is ns/gw\n',
  });
  rmSync(join(folder, 'parameters.json'));
  expect(await run({})).toMatchObject({ code: 1, err: 'render: Gateway ns/gw: there is no ProxyParameters ns/own\n' });
});

test('what cannot be read ends with 2 and says where', async () => {
  expect(await run({ file: join(folder, 'missing') })).toMatchObject({ code: 2, out: '' });
  writeFileSync(join(folder, 'twice.json'), JSON.stringify(gateway()));
  expect((await run({})).err).toMatch(/twice\.json:1: Gateway\S+ is already at \S+gateway\.json:1\n/);
  expect(await run({ file: '-' }, 'kind: [')).toMatchObject({ code: 2 });
  const refused = await run({ file: '-' }, JSON.stringify({ ...gateway(), spec: {} }));
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(/^-:1:\d+ spec\./);
});
