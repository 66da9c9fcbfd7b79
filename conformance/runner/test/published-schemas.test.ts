import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { featureIds } from '../clauses/features.ts';
import { REPORT_SCHEMA_FILE, reportSchemaText } from '../report/report-schema.ts';
import { ADAPTER_SCHEMA_FILE, adapterSchemaText } from '../sut/adapter-json-schema.ts';
import { MANIFEST_SCHEMA_FILE, manifestSchemaText } from '../sut/manifest-json-schema.ts';
import { parseManifest } from '../sut/manifest.ts';
import { isList, isObject } from '../values/json.ts';
import { packageRoot } from '../values/package-root.ts';
import { parseKnownFailures } from '../verdict/known-failures.ts';
import { KNOWN_SCHEMA_FILE, knownSchemaText } from '../verdict/known-schema.ts';

const root = packageRoot();

function compile(text: string): ValidateFunction {
  const schema: unknown = JSON.parse(text);
  return new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } }).compile(
    isObject(schema) ? schema : {},
  );
}

/** Members without a text, as paths. A member that leads elsewhere has its text there. */
function withoutText(node: unknown, at = ''): readonly string[] {
  if (isList(node)) return node.flatMap((item, index) => withoutText(item, `${at}/${index}`));
  if (!isObject(node)) return [];
  const members = isObject(node['properties']) ? Object.entries(node['properties']) : [];
  return [
    ...members.flatMap(([name, member]) => (hasText(member) ? [] : [`${at}.${name}`])),
    ...Object.entries(node).flatMap(([name, inner]) =>
      name === 'examples' || name === 'allOf' ? [] : withoutText(inner, `${at}/${name}`),
    ),
  ];
}

function hasText(member: unknown): boolean {
  return (
    isObject(member) &&
    ('$ref' in member || (typeof member['description'] === 'string' && member['description'] !== ''))
  );
}

describe.each([
  [MANIFEST_SCHEMA_FILE, manifestSchemaText],
  [ADAPTER_SCHEMA_FILE, adapterSchemaText],
  [KNOWN_SCHEMA_FILE, knownSchemaText],
])('%s', (file, text) => {
  test('is fresh', async () => {
    expect(await readFile(path.join(root, file), 'utf8')).toBe(text());
  });

  test('says of every member what it is for', () => {
    expect(withoutText(JSON.parse(text()))).toEqual([]);
  });

  test('is a schema', () => {
    expect(() => compile(text())).not.toThrow();
  });
});

test('the schema of reports is fresh', async () => {
  expect(await readFile(path.join(root, REPORT_SCHEMA_FILE), 'utf8')).toBe(reportSchemaText());
});

describe('the schema of manifests', () => {
  const validate = compile(manifestSchemaText());
  const head = 'contract: 1\nimplementation: { name: x }\n';
  const run = 'run: { kind: process, command: [./x] }\n';

  test.each([
    'reference-impl',
    ...['tiny-proxy', 'nginx', 'envoy', 'shell', 'dialect', 'api-server', 'fastmcp'].map((name) => `examples/${name}`),
  ])('takes that of %s', async (folder) => {
    const text = await readFile(path.join(root, folder, 'implementation.yaml'), 'utf8');
    expect(validate(parse(text))).toBe(true);
  });

  test('knows every feature by name', () => {
    const features = featureIds().map((id) => `  ${id}: no\n`);
    expect(validate(parse(`${head}${run}features:\n${features.join('')}`))).toBe(true);
  });

  test.each([
    ['a good one', `${head}${run}`, true],
    [
      'one with everything',
      `${head}run: { kind: process, command: [./x], config: { deliver: file, path: a, reload: { signal: HUP } } }`,
      true,
    ],
    ['an unknown member', `${head}${run}featurs: {}`, false],
    ['an unknown feature', `${head}${run}features: { core.htp: yes }`, false],
    ['an unknown kind', `${head}run: { kind: container }`, false],
    ['a command of a run that has none', `${head}run: { kind: url, command: [x] }`, false],
    ['no run', head, false],
  ])('and the loader agree on %s', (_, text, isGood) => {
    expect(validate(parse(text))).toBe(isGood);
    const load = (): unknown => parseManifest(text, 'i.yaml');
    if (isGood) expect(load).not.toThrow();
    else expect(load).toThrow('i.yaml:');
  });
});

describe('the schema of lists of known failures', () => {
  const validate = compile(knownSchemaText());

  test.each(['nginx', 'envoy', 'fastmcp'])('takes that of %s', async (name) => {
    expect(validate(parse(await readFile(path.join(root, 'examples', name, 'known-failures.yaml'), 'utf8')))).toBe(
      true,
    );
  });

  test.each([
    ['a good entry', '- { case: a, reason: r, owner: o, verdict: unstable, until: 2030-01-01, message: m }', true],
    ['an entry without a reason', '- { case: a, owner: o }', false],
    ['a reason to write', '- { case: a, reason: TODO say why, owner: o }', false],
    ['a word that only begins so', '- { case: a, reason: TODOs are gone, owner: o }', true],
    ['another verdict', '- { case: a, reason: r, owner: o, verdict: stale }', false],
    ['an unknown member', '- { case: a, reason: r, owner: o, flaky: true }', false],
    ['a day that is none', '- { case: a, reason: r, owner: o, until: 2030-02-30 }', false],
  ])('and the loader agree on %s', (_, text, isGood) => {
    expect(validate(parse(text))).toBe(isGood);
    expect('entries' in parseKnownFailures('known.yaml', text)).toBe(isGood);
  });
});
