import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { canonical, createDialect, loadDialect } from '../../sut/dialect.ts';
import { UsageFault } from '../../sut/session.ts';
import { wholeSuite } from '../support/whole-suite.ts';

const dialect = createDialect({
  group: 'example.dev',
  version: 'v1',
  kinds: {
    ProxyBackend: 'ExampleBackend',
    ProxyPolicy: 'ExamplePolicy',
    ProxyModel: 'ExampleModel',
    ProxyParameters: 'ExampleParameters',
  },
  members: {
    'ProxyPolicy.spec': { traffic: 'requests' },
    'ProxyPolicy.spec.traffic': { timeouts: 'deadlines', transformation: 'rewrite' },
    'ProxyPolicy.spec.traffic.timeouts': { request: 'total' },
    'ProxyBackend.spec': { static: 'fixed' },
    '*.authorization': { action: 'effect' },
  },
  values: { PreRouting: 'before-routing', Override: 'force' },
});

describe('a dialect', () => {
  test('renames group, kinds, members below renamed members, and values', () => {
    const resource = {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyPolicy',
      spec: {
        targetRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'ProxyBackend' }],
        strategy: { inheritance: 'Override' },
        traffic: { phase: 'PreRouting', timeouts: { request: '1s' }, authorization: { action: 'Allow' } },
      },
    };
    expect(dialect.toImplementation(resource)).toEqual({
      apiVersion: 'example.dev/v1',
      kind: 'ExamplePolicy',
      spec: {
        targetRefs: [{ group: 'example.dev', kind: 'ExampleBackend', name: 'ProxyBackend' }],
        strategy: { inheritance: 'force' },
        requests: { phase: 'before-routing', deadlines: { total: '1s' }, authorization: { effect: 'Allow' } },
      },
    });
  });

  test('leaves other groups alone', () => {
    const gateway = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', spec: { static: 1, traffic: 2 } };
    expect(dialect.toImplementation(gateway)).toEqual(gateway);
  });

  test('translates an answer from the inside of a policy back', () => {
    const answer = { deadlines: { total: '1s' }, authorization: [{ effect: 'Deny' }] };
    expect(dialect.toCanonical(answer, 'ProxyPolicy.spec.traffic')).toEqual({
      timeouts: { request: '1s' },
      authorization: [{ action: 'Deny' }],
    });
  });

  test('spells names inside expressions otherwise, and back', () => {
    const spelling = createDialect({
      members: { 'ProxyPolicy.spec': { traffic: 'requests' } },
      expressions: { 'request.headers': 'req.header', 'cidr()': 'network()' },
    });
    const policy = {
      kind: 'ProxyPolicy',
      spec: { traffic: { authorization: { policy: { matchExpressions: ["request.headers['cidr'] == '1'"] } } } },
    };
    const theirs = {
      kind: 'ProxyPolicy',
      spec: { requests: { authorization: { policy: { matchExpressions: ["req.header['cidr'] == '1'"] } } } },
    };
    expect(spelling.toImplementation(policy)).toEqual(theirs);
    expect(spelling.toCanonical(theirs)).toEqual(policy);
    const traffic = { authorization: { policy: { matchExpressions: ["network('::/0').containsIP(req.header.a)"] } } };
    expect(spelling.toCanonical(traffic, 'ProxyPolicy.spec.traffic')).toEqual({
      authorization: { policy: { matchExpressions: ["cidr('::/0').containsIP(request.headers.a)"] } },
    });
  });

  test('that gives one name to two things is refused', () => {
    expect(() => createDialect({ kinds: { A: 'X', B: 'X' } })).toThrow(/one name to two things/);
  });

  test('there and back is the identity for every resource of the corpus', async () => {
    const { cases } = await wholeSuite();
    const resources = cases.flatMap((one) => one.config);
    expect(resources.length).toBeGreaterThan(50);
    for (const resource of resources) {
      expect(dialect.toCanonical(dialect.toImplementation(resource))).toEqual(resource);
      expect(canonical.toCanonical(canonical.toImplementation(resource))).toBe(resource);
    }
  });
});

describe('a file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'conform-dialect-'));

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test.each([
    [
      'with an unknown member',
      'kinds: { A: X }\nmembrs: {}\n',
      /dialect\.yaml:2:1 membrs: unknown key "membrs", did you mean "members"\?$/,
    ],
    ['with a list where a table belongs', 'kinds: [A]\n', /dialect\.yaml:1:8 kinds: expected record, got \["A"\]$/],
    ['that is no YAML', 'kinds: {\n', /dialect\.yaml:\d+:\d+ /],
    ['that cannot be undone', 'kinds: { A: X, B: X }\n', /dialect\.yaml: a dialect gives one name to two things/],
  ])('%s is a mistake of the user with its place', (_, text, message) => {
    writeFileSync(path.join(folder, 'dialect.yaml'), text);
    const load = (): unknown => loadDialect('dialect.yaml', folder);
    expect(load).toThrow(UsageFault);
    expect(load).toThrow(message);
  });

  test('that is a folder, or not there, is one too', () => {
    expect(() => loadDialect('.', folder)).toThrow(/: is a folder, and a file is wanted \(EISDIR\)$/);
    expect(() => loadDialect('none.yaml', folder)).toThrow(/none\.yaml: there is no such file \(ENOENT\)$/);
  });

  test('that is empty changes nothing', () => {
    writeFileSync(path.join(folder, 'dialect.yaml'), '# nothing yet\n');
    const resource = { kind: 'ProxyPolicy', spec: { traffic: {} } };
    expect(loadDialect('dialect.yaml', folder).toImplementation(resource)).toEqual(resource);
  });
});
