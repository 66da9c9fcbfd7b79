import { expect, test } from 'vitest';
import { fillPlaceholders, loadManifest, parseManifest } from '../../sut/manifest.ts';
import { UsageFault } from '../../sut/session.ts';

const minimal = `contract: 1
implementation: {name: x}
run: {kind: process, command: [./x]}
`;

test('a short manifest gets every default', () => {
  const manifest = parseManifest(minimal, 'dir/implementation.yaml');
  expect(manifest).toMatchObject({
    dialect: 'canonical',
    run: {
      config: { deliver: 'directory', reload: 'watch' },
      ready: { canary: true, within: '10s' },
      stop: { signal: 'TERM', within: '5s' },
    },
    tune: { timeScale: 1, timeout: '2s' },
    features: {},
  });
});

test('yes and no are booleans, as words and as YAML gives them', () => {
  const manifest = parseManifest(
    `${minimal}features: {core.http: yes, core.match: no, core.filters: true}\n`,
    'implementation.yaml',
  );
  expect(manifest.features).toEqual({ 'core.http': true, 'core.match': false, 'core.filters': true });
});

test.each([
  [
    'a misspelt key',
    `${minimal}featurs: {}\n`,
    /^i\.yaml:4:1 featurs: unknown key "featurs", did you mean "features"\?$/,
  ],
  ['another contract', minimal.replace('contract: 1', 'contract: 2'), /^i\.yaml:1:11 contract: /],
  ['a number of workers that is none', `${minimal}tune: {parallel: 0}\n`, /^i\.yaml:4:18 tune\.parallel: /],
  ['a duration without unit', `${minimal}tune: {timeout: "2"}\n`, /tune\.timeout: expected a duration such as/],
  ['an unknown kind of run', minimal.replace('kind: process', 'kind: balloon'), /^i\.yaml:3:\d+ run\.kind: /],
  [
    'a feature that is neither yes nor no',
    `${minimal}features: {core.http: perhaps}\n`,
    /^i\.yaml:4:23 features\.core\.http: /,
  ],
  [
    'a feature that is in no table',
    `${minimal}features:\n  core.http: yes\n  traffic.jwtAuthentcation: yes\n`,
    /^i\.yaml:6:3 features\.traffic\.jwtAuthentcation: unknown feature traffic\.jwtAuthentcation, did you mean traffic\.jwtAuthentication\?/,
  ],
  ['a feature like no other', `${minimal}features: {zz: no}\n`, /: unknown feature zz \(conform list --features\)$/],
  ['YAML that is none', 'contract: [1', /^i\.yaml:1:\d+ /],
  ['an empty file', '', /^i\.yaml:1:1 manifest: required, expected object$/],
  [
    'a url without endpoints',
    'contract: 1\nimplementation: {name: x}\nrun: {kind: url}\n',
    /^i\.yaml:1:1 endpoints: run\.kind url needs endpoints\.data/,
  ],
  [
    'an adapter kind without adapter',
    'contract: 1\nimplementation: {name: x}\nrun: {kind: adapter}\n',
    /adapter: run\.kind adapter needs the adapter command/,
  ],
  [
    'delivery into a file without a path',
    minimal.replace('[./x]', '[./x], config: {deliver: file}'),
    /run\.config\.path: deliver file needs the path/,
  ],
])('%s is named with file, place and what was expected', (_, text, message) => {
  const parse = (): unknown => parseManifest(text, 'i.yaml');
  expect(parse).toThrow(UsageFault);
  expect(parse).toThrow(message);
});

test('a manifest that is not there is a usage fault', () => {
  expect(() => loadManifest('no/such/implementation.yaml')).toThrow(
    /^no\/such\/implementation\.yaml: there is no such file \(ENOENT\)$/,
  );
});

test('an unknown placeholder lists the known ones', () => {
  expect(fillPlaceholders('a{{dir}}b{{ port.data }}', { dir: '/d', 'port.data': '1' }, 'i.yaml')).toBe('a/db1');
  expect(() => fillPlaceholders('{{prot.data}}', { dir: '', 'port.data': '' }, 'i.yaml')).toThrow(
    /unknown placeholder \{\{prot\.data\}\}; known are dir, port\.data/,
  );
});
