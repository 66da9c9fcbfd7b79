// The import law. A folder may import itself and the folders to its LEFT. docs/tools/check-imports.ts proves that the
// law saw every file and that each rule can fail.
export const chapters = [
  'base',
  'resources',
  'admission',
  'cel',
  'store',
  'attachment',
  'trace',
  'exchange',
  'upstream',
  'telemetry',
  'credentials',
  'policies',
  'backends',
  'pipeline',
  'server',
  'admin',
  'deployer',
  'cli',
];
/** The rooms of attachment/, in reading order. */
const attachmentRooms = ['policies', 'backends', 'routes', 'models', 'status'];
export const runner = [
  'values',
  'verdict',
  'clauses',
  'sut',
  'peers',
  'steps',
  'case',
  'schedule',
  'report',
  'fuzz',
  'live',
  'watch',
  'gallery',
  'ablate',
  'commands',
];
/** What mocks share, and the mocks, which know what is shared and not each other. */
export const mocks = {
  shared: ['wire', 'tls', 'grpc'],
  kinds: [
    'upstreams',
    'idp',
    'ratelimit',
    'ext-auth',
    'ext-proc',
    'guards',
    'telemetry',
    'cloud-a',
    'cloud-b',
    'cloud-c',
  ],
};

const leftOnly = (root, names) =>
  names.slice(0, -1).map((name, index) => ({
    name: `${root}/${name} imports only what stands left of it`,
    severity: 'error',
    from: { path: `^${root}/${name}/` },
    to: { path: `^${root}/(${names.slice(index + 1).join('|')})/` },
  }));
const never = (name, from, to, more = {}) => ({
  name,
  severity: 'error',
  from: { path: from, ...more.from },
  to: { path: to, ...more.to },
});

export default {
  forbidden: [
    ...leftOnly('reference-impl', chapters),
    ...leftOnly('reference-impl/attachment', attachmentRooms),
    ...leftOnly('conformance/runner', runner),
    ...leftOnly('mocks', mocks.shared),
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },

    never('the reference stands alone', '^reference-impl/', '^(conformance|mocks|docs|bench)/'),
    never('the suite never reads the reference', '^(conformance|mocks)/', '^reference-impl/'),
    never('only peers/ starts mocks', '^conformance/runner/(?!(peers|test)/|sut/platform\\.ts)', '^mocks/'),
    never('mocks know no runner', '^mocks/', '^(conformance|docs|bench)/'),
    never('nothing imports the doc tools', '^(reference-impl|conformance|mocks)/', '^docs/'),
    never(
      'doc tools read only tables, schemas and registries',
      '^docs/tools/',
      '^reference-impl/(?!(resources/|telemetry/names/|pipeline/phases\\.ts|base/proxy-error\\.ts|attachment/policies/precedence\\.ts))',
    ),
    never('main.ts is imported by nobody', '.*', '(^|/)main\\.ts$'),
    never(
      'the spine of the suite is used by its commands only',
      '^conformance/runner/(?!(commands|fuzz|gallery|test)/|main\\.ts)',
      '^conformance/runner/run\\.ts$',
    ),

    never(
      'what the rooms of attachment share knows no room',
      '^reference-impl/attachment/(age|conditions|hostnames|listeners|namespaces)\\.ts$',
      '^reference-impl/attachment/[^/]+/',
    ),
    never(
      'rooms of attachment do not know what puts them together',
      '^reference-impl/attachment/[^/]+/',
      '^reference-impl/attachment/(listener-view|view|policy-query)\\.ts$',
    ),
    never(
      'only status reads all links',
      '^reference-impl/attachment/(?!status/)[^/]+/',
      '^reference-impl/attachment/links\\.ts$',
    ),
    never(
      'policies do not know each other',
      '^reference-impl/policies/(frontend|traffic|backend)/([^/]+)',
      '^reference-impl/policies/(frontend|traffic|backend)/',
      { to: { pathNot: '^reference-impl/policies/$1/$2' } },
    ),
    never(
      'backends do not know each other',
      '^reference-impl/backends/(ai|mcp|a2a)/',
      '^reference-impl/backends/(ai|mcp|a2a)/',
      { to: { pathNot: '^reference-impl/backends/$1/' } },
    ),
    never(
      'programs at the top do not know each other',
      '^reference-impl/(server|admin|deployer)/',
      '^reference-impl/(server|admin|deployer|cli)/',
      { to: { pathNot: '^reference-impl/$1/' } },
    ),
    never('mocks do not know each other', `^mocks/(${mocks.kinds.join('|')})/`, `^mocks/(${mocks.kinds.join('|')})/`, {
      to: { pathNot: '^mocks/$1/' },
    }),
    never(
      'what mocks share knows no mock',
      `^mocks/(${mocks.shared.join('|')})/`,
      `^mocks/(${mocks.kinds.join('|')})/`,
    ),

    never(
      'sockets only where bytes are handled',
      '^reference-impl/(?!(upstream|server|admin|cli|test)/|main\\.ts)',
      '^(node:)?(net|tls|http|https|http2|dgram)$|node_modules/undici/',
      { to: { dependencyTypesNot: ['type-only'] } },
    ),
    never(
      'files only where configuration is read',
      '^reference-impl/(?!(store/sources|server|admin|deployer|cli|test)/|credentials/ambient-file\\.ts|main\\.ts)',
      '^(node:)?(fs|fs/promises)$',
    ),
  ],
  options: {
    tsPreCompilationDeps: true, // a type import is an import
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/wire/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node'] },
  },
};
