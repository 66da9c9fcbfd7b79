import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reportSchema } from '../report/report-schema.ts';
import { packageRoot } from '../values/package-root.ts';
import { collect } from './support/conform.ts';

/** A redirect, a ListenerSet, two listeners, and cases with a Gateway beside their own. Others speak to a Gateway as one of these does. */
const CASES = [
  'routing.routes.redirect',
  'routing.routes.weights',
  'attachment.targets.every-kind',
  'attachment.targets.*listener*',
  'attachment.targets.*gateway*',
  'ai.cost.changed-catalog',
  'ai.cost.whose-catalog',
];

test('every case, and the canary, speaks to the address of its own Gateway', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'conform-addressed-'));
  try {
    const manifest = path.join(packageRoot(), 'examples/addressed/implementation.yaml');
    const flags = ['--impl', manifest, '--out', folder, '--level', 'must'];
    const ended = await collect(['run', ...CASES, ...flags]);
    const { cases } = reportSchema.parse(JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')));
    const passed = cases.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id);
    expect(new Set(cases.map(({ verdict }) => verdict)), ended.stdout).toEqual(new Set(['pass', 'unsupported']));
    expect(passed.some((id) => id.startsWith('ai.cost.'))).toBe(true);
    expect(passed.some((id) => id.startsWith('routing.routes.'))).toBe(true);
    expect(ended.code).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 120_000);
