import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ablatedCase } from '../../ablate/ablated-case.ts';
import { runAblation, type AblationOutcome, type AblationRun } from '../../ablate/run-ablation.ts';
import { loadCases } from '../../case/load.ts';
import { loadManifest } from '../../sut/manifest.ts';
import { tinyManifest } from '../support/conform.ts';
import { concreteCase } from '../support/concrete-case.ts';

const CASES = `
suite: ablate
cases:
  - id: ablate.exact
    title: An exact path is one path
    clauses: [{ id: HOST-001, as: positive }]
    level: must
    peers: { up: { kind: http } }
    topology: { routes: [{ name: r, rules: [{ name: unused, path: { exact: /one }, to: up }] }] }
    config: [{ kind: ProxyParameters, metadata: { name: q }, spec: { logging: { format: json, sink: x } } }]
    steps:
      - { id: one, http: { GET: /one }, expect: { status: 200 } }
      - { id: more, http: { GET: /one/more }, expect: { status: 404 } }
    expect: { received: { up: [{ GET: /one }] } }
  - id: ablate.observed
    title: A case that is not judged notices nothing
    clauses: [{ id: HOST-001, as: positive }]
    level: observe
    peers: { up: { kind: http } }
    config: [{ kind: ProxyParameters, metadata: { name: p }, spec: { logging: { level: info } } }]
    steps: [{ id: one, http: { GET: / }, expect: { status: 200 } }]
`;

let folder: string;
let run: AblationRun;
let outcome: AblationOutcome;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'conform-ablate-'));
  await writeFile(path.join(folder, 'cases.yaml'), CASES);
  const { cases, problems } = await loadCases(folder);
  expect(problems).toEqual([]);
  const file = path.join(folder, 'implementation.yml');
  await writeFile(file, tinyManifest('none'));
  run = {
    manifest: { ...loadManifest(file), folder },
    cases,
    kinds: [],
    complete: false,
    workers: 8,
    seed: 1,
    stop: new AbortController().signal,
    progress: () => undefined,
  };
  outcome = await runAblation(run);
}, 60_000);

afterAll(async () => rm(folder, { recursive: true, force: true }));

function noticed(kind: string, at: string): readonly string[] | undefined {
  return outcome.fields.find((field) => field.kind === kind && field.path === at)?.noticedBy;
}

describe('ablation', () => {
  test('names the case that is red without a field', () => {
    expect(noticed('HTTPRoute', 'spec.rules[].matches[].path.type')).toEqual(['ablate.exact']);
    expect(noticed('HTTPRoute', 'spec.rules[].backendRefs[].name')).toEqual(['ablate.exact']);
    expect(noticed('ProxyBackend', 'spec.static.port')).toEqual(['ablate.exact']);
  });

  test('takes a host name away from one case at a time', () => {
    expect(noticed('Gateway', 'spec.listeners[].hostname')).toEqual(['ablate.exact']);
  });

  test('lists fields nobody misses, and those only an observed case delivers', () => {
    expect(noticed('HTTPRoute', 'spec.rules[].name')).toEqual([]);
    expect(noticed('ProxyParameters', 'spec.logging.level')).toEqual([]);
    expect(outcome.fields.find(({ path: at }) => at === 'spec.logging.level')?.usedBy).toEqual([]);
  });

  test('says how each field was ablated, and what the reset was to', () => {
    const level = outcome.fields.find(({ path: at }) => at === 'spec.logging.level');
    expect(level?.ablated).toEqual([{ how: 'removed', noticedBy: [], usedBy: [] }]);
    const port = outcome.fields.find(({ path: at }) => at === 'spec.static.port');
    expect(port?.ablated).toEqual([{ how: 'removed', noticedBy: ['ablate.exact'], usedBy: ['ablate.exact'] }]);
    const mode = outcome.fields.find(({ path: at }) => at === 'spec.logging.format');
    expect(mode?.ablated).toEqual([
      { how: 'removed', noticedBy: [], usedBy: ['ablate.exact'] },
      { how: 'reset', to: 'text', noticedBy: [], usedBy: ['ablate.exact'] },
    ]);
  });

  test('leaves fields that the document does not give the kind out of the share', () => {
    expect(outcome.foreign).toEqual([{ kind: 'ProxyParameters', path: 'spec.logging.sink' }]);
    expect(noticed('ProxyParameters', 'spec.logging.sink')).toBeUndefined();
  });

  test('gives the share of noticed fields', () => {
    const count = outcome.fields.filter(({ noticedBy }) => noticedBy.length > 0).length;
    expect(outcome.share).toBe(count / outcome.fields.length);
    expect(outcome.share).toBeGreaterThan(0.3);
    expect(outcome.share).toBeLessThan(1);
  });

  test('leaves out a case that is red with every field', async () => {
    const file = path.join(folder, 'ignorant.yml');
    await writeFile(file, tinyManifest('ignore-config').replace('{ within: 4s }', '{ canary: false, within: 4s }'));
    const ignorant = await runAblation({ ...run, manifest: loadManifest(file), kinds: ['ProxyBackend'] });
    expect(ignorant.redAnyway).toEqual(['ablate.exact']);
    expect(ignorant.share).toBe(0);
  }, 60_000);

  test('can be limited to kinds', async () => {
    const { fields } = await runAblation({ ...run, kinds: ['ProxyBackend'] });
    expect([...new Set(fields.map(({ kind }) => kind))]).toEqual(['ProxyBackend']);
  }, 60_000);
});

test('an ablated case has a namespace, a host and texts of its own', () => {
  const one = concreteCase('a', { expect: { received: { up: [{ host: 'x.c-a.test' }] } } });
  const ablated = ablatedCase(one, { kind: 'Gateway', path: 'spec' }, { how: 'removed' });
  expect(ablated.id).toBe('a~Gateway spec removed');
  expect(ablated.namespace).toMatch(/^c-[0-9a-f]{8}$/);
  expect(ablated.host).toBe(`${ablated.namespace}.test`);
  expect(ablated.expect).toEqual({ received: { up: [{ host: `x.${ablated.namespace}.test` }] } });
  expect(ablated.alter?.({ kind: 'Gateway', spec: 1 })).toEqual({ kind: 'Gateway' });
});

test('a reset case delivers the default, in a namespace that is not that of the case without the field', () => {
  const field = { kind: 'ProxyModel', path: 'spec.visibility' };
  const reset = ablatedCase(concreteCase('a', {}), field, { how: 'reset', to: 'Public' });
  expect(reset.alter?.({ kind: 'ProxyModel', spec: { visibility: 'Internal' } })).toEqual({
    kind: 'ProxyModel',
    spec: { visibility: 'Public' },
  });
  expect(reset.namespace).not.toBe(ablatedCase(concreteCase('a', {}), field, { how: 'removed' }).namespace);
});
