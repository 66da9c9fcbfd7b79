import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  casesOfFeatures,
  featureIds,
  featuresSetBy,
  hasParts,
  partsOf,
  readFeatures,
  shownByFeatures,
  unknownFeatures,
} from '../../clauses/features.ts';
import { addExplainCommand } from '../../commands/explain.ts';
import { addListCommand } from '../../commands/list.ts';
import { isObject } from '../../values/json.ts';
import { packageRoot } from '../../values/package-root.ts';
import { runHere } from '../support/run-here.ts';

const good = path.join(import.meta.dirname, '../support/cases/good');

describe('the table of features', () => {
  test('has each name once', () => {
    expect(new Set(featureIds()).size).toBe(featureIds().length);
  });

  test('says of each in a sentence what an implementation does', () => {
    expect(readFeatures().filter(({ text }) => !/^[A-Z][a-z]+,? .+\.$/.test(text))).toEqual([]);
  });

  test.each([
    'reference-impl',
    'examples/tiny-proxy',
    'examples/nginx',
    'examples/envoy',
    'examples/portkey',
    'examples/haproxy',
    'examples/litellm',
    'examples/shell',
  ])('has every feature that %s declares', async (folder) => {
    const manifest: unknown = parse(await readFile(path.join(packageRoot(), folder, 'implementation.yaml'), 'utf8'));
    const features = isObject(manifest) && isObject(manifest['features']) ? Object.keys(manifest['features']) : [];
    expect(features).not.toEqual([]);
    expect(unknownFeatures(features)).toEqual([]);
  });

  test('asks a case that needs a feature for the parts whose fields its resources set', () => {
    const asking = { kind: 'ProxyPolicy', spec: { traffic: { extAuth: { backendRef: { name: 'a' }, http: {} } } } };
    const spec = { policies: { extAuth: { conditional: [{ policy: { grpc: {} } }] }, auth: { key: 'k' } } };
    expect(partsOf(['traffic.extAuth'], [asking])).toEqual(['traffic.extAuth.http']);
    expect(partsOf(['core.http'], [asking])).toEqual([]);
    expect(partsOf(['backend.auth'], [{ kind: 'ProxyBackend', spec }])).toEqual(['backend.auth.key']);
    expect(hasParts(['core.http'])).toBe(false);
  });

  test('asks a case for every feature of which its configuration sets a field, wherever the policies of a backend stand', () => {
    const auth = { auth: { key: 'k' }, tunnel: {} };
    expect(featuresSetBy([{ kind: 'ProxyPolicy', spec: { traffic: { csrf: {} }, backend: auth } }])).toEqual([
      'traffic.csrf',
      'backend.auth.key',
      'backend.tunnel',
    ]);
    expect(featuresSetBy([{ kind: 'ProxyModel', spec: { policies: auth } }])).toEqual([
      'backend.auth.key',
      'backend.tunnel',
    ]);
    expect(featuresSetBy([{ kind: 'Gateway', spec: {} }])).toEqual([]);
  });

  test('tells which case shows a feature, and for models another where there is one', () => {
    const models = { kind: 'ProxyBackend', spec: { ai: {} } };
    const needs = ['core.http', 'backend.auth', 'backend.ai'];
    const [key, ...more] = shownByFeatures(needs, [{ kind: 'ProxyBackend', spec: { static: {} } }]);
    expect(key).toBe('backend.auth.key');
    expect(more).toEqual(shownByFeatures(['backend.ai'], []));
    for (const resource of [models, { kind: 'ProxyModel', spec: {} }]) {
      expect(shownByFeatures(needs, [resource])).toEqual(['ai.providers.key', ...more]);
    }
    expect(casesOfFeatures()).toEqual(expect.arrayContaining(['backend.auth.key', 'ai.providers.key']));
  });

  test('has the features of which others are parts', () => {
    const wholes = readFeatures().flatMap(({ partOf }) => partOf ?? []);
    expect(wholes).not.toEqual([]);
    expect(unknownFeatures(wholes)).toEqual([]);
  });

  test('answers a name that it does not have with the nearest one', () => {
    expect(unknownFeatures(['core.http', 'traffic.csfr', 'zz'])).toEqual([
      {
        name: 'traffic.csfr',
        message: 'unknown feature traffic.csfr, did you mean traffic.csrf? (conform list --features)',
      },
      { name: 'zz', message: 'unknown feature zz (conform list --features)' },
    ]);
  });
});

describe('conform', { timeout: 60_000 }, () => {
  test('list --features prints every feature with the number of its cases', async () => {
    const { stdout, code } = await runHere(addListCommand, 'list', '--features', '--json');
    const listed: unknown = JSON.parse(stdout);
    expect(listed).toHaveLength(featureIds().length);
    expect(listed).toContainEqual(expect.objectContaining({ id: 'core.http', core: true }));
    // A field that no case sets is one that is misspelt.
    for (const { id } of readFeatures().filter(({ setBy }) => setBy !== undefined))
      expect(listed).not.toContainEqual(expect.objectContaining({ id, cases: 0 }));
    expect(code).toBe(0);
    const lines = (await runHere(addListCommand, 'list', '--features', '--cases', good)).stdout.split('\n');
    expect(lines).toHaveLength(featureIds().length + 1);
    expect(lines[0]).toMatch(/^core\.http {2,}\d+ cases {2}core: Takes HTTP/);
  });

  test('explain FEATURE says what it means and who needs it', async () => {
    const { stdout, code } = await runHere(addExplainCommand, 'explain', 'Core.Weights');
    expect(stdout).toMatch(/^core\.weights {2}feature\n {2}Divides the requests/);
    expect(stdout).toMatch(/ {2}needed {6}by \d+ cases, which cite \d+ clauses\n/);
    expect(stdout).toContain('conformance/cases/routing/routes.yaml\n');
    expect(code).toBe(0);
    const misspelt = await runHere(addExplainCommand, 'explain', 'core.wights');
    expect(misspelt.stderr).toBe('no case matches core.wights; did you mean the feature core.weights?\n');
    expect(misspelt.code).toBe(2);
  });

  test('--feature takes no other name', async () => {
    const { stderr, code } = await runHere(addListCommand, 'list', '--feature', 'core.wights');
    expect(stderr).toContain('core.wights is unknown, did you mean core.weights?');
    expect(code).toBe(2);
  });
});
