import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, type JsonObject, jsonObjectOf, jsonOf } from '../../base/json.ts';
import type { Manifest } from '../../deployer/manifest.ts';
import { MERGE_KEYS } from '../../resources/merging/merge-keys.ts';
import { type Nulls, strategicMerge } from '../../resources/merging/strategic-merge.ts';
import { at, gateway, manifest, manifestsOf, parameters } from './resources.ts';

/*
 * The orchestrator's own client is the second opinion on strategic merge. Where the document and it differ no overlay is
 * drawn: docs/decisions/overlay-null.md, overlay-tolerations.md and overlay-directives.md name those places.
 */

const patched = promisify(execFile);
/** A program of Go that ends at once has nothing to collect, and nobody to collect beside. */
const BRIEFLY = { GOGC: 'off', GOMAXPROCS: '1' };
const kubectl = findKubectl();
if (kubectl === undefined) console.warn('kubectl is not installed: overlays are not compared with it');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'overlay-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const manifests = manifestsOf([gateway(), parameters('own', { env: [{ name: 'EXTRA', value: 'x' }] })]);

test.skipIf(kubectl === undefined)(
  'overlays of a Deployment come out as with kubectl',
  async () => {
    await agree(manifest(manifests, 'Deployment'), deploymentOverlay());
  },
  120_000,
);

test.skipIf(kubectl === undefined)(
  'overlays of a Service come out as with kubectl',
  async () => {
    await agree(manifest(manifests, 'Service'), serviceOverlay());
  },
  120_000,
);

interface Difference {
  readonly name: string;
  readonly patch: JsonObject;
  readonly nulls: Nulls;
  /** Path below the spec of the pods, and what stands there. */
  readonly at: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

const differences: readonly Difference[] = [
  {
    name: 'tolerations merge by key, and kubectl replaces the list',
    patch: { tolerations: [{ key: 'b' }] },
    nulls: 'remove',
    at: 'tolerations',
    theirs: [{ key: 'b' }],
    ours: [{ key: 'b' }, { key: 'a' }],
  },
  {
    name: 'null removes only under server-side apply, and with kubectl always',
    patch: { nodeSelector: { disk: null } },
    nulls: 'ignore',
    at: 'nodeSelector',
    theirs: {},
    ours: { disk: 'ssd' },
  },
  {
    name: '$patch: delete removes a map, and kubectl empties it',
    patch: { nodeSelector: { $patch: 'delete' } },
    nulls: 'remove',
    at: 'nodeSelector',
    theirs: {},
    ours: undefined,
  },
  {
    name: 'directives in a new item are followed, and kubectl copies them',
    patch: { containers: [{ name: 'new', env: [{ name: 'A', $patch: 'delete' }] }] },
    nulls: 'remove',
    at: 'containers.0.env',
    theirs: [{ name: 'A', $patch: 'delete' }],
    ours: [],
  },
  {
    name: '$patch: replace is a directive in a list without a key too, and an item for kubectl',
    patch: { readinessGates: [{ $patch: 'replace' }, { conditionType: 'x' }] },
    nulls: 'remove',
    at: 'readinessGates',
    theirs: [{ $patch: 'replace' }, { conditionType: 'x' }],
    ours: [{ conditionType: 'x' }],
  },
];

const overlaid = manifestsOf([
  gateway(),
  parameters('own', {
    deployment: {
      spec: { template: { spec: { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'a' }], readinessGates: [] } } },
    },
  }),
]);

test.skipIf(kubectl === undefined).for(differences)('$name', async ({ patch, nulls, at: path, theirs, ours }) => {
  const original = manifest(overlaid, 'Deployment');
  const { merged, kubectls } = await both(original, { template: { spec: patch } }, nulls);
  expect(at(kubectls, `template.spec.${path}`)).toEqual(theirs);
  expect(at(merged, `template.spec.${path}`)).toEqual(ours);
});

/** Our merge and that of kubectl give the same object for overlays of this kind; a null removes in both. */
async function agree(original: Manifest, overlays: fc.Arbitrary<JsonObject>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(overlays, async (spec) => {
      const { merged, kubectls } = await both(original, spec, 'remove');
      expect(merged).toEqual(kubectls);
    }),
    // Each is a program, and every commit draws others.
    { numRuns: 20 },
  );
}

function refused(path: string, message: string): never {
  return expect.fail(`${path}: ${message}`);
}

/** The spec as each of them makes it. */
async function both(
  original: Manifest,
  spec: JsonObject,
  nulls: Nulls,
): Promise<{ readonly merged: Json; readonly kubectls: Json }> {
  const file = join(folder, `${original.kind}.json`);
  writeFileSync(file, JSON.stringify(original));
  const ours = strategicMerge(original, { spec }, MERGE_KEYS[original.kind] ?? {}, {
    nulls,
    dialect: 'overlay',
    problem: refused,
  });
  const patch = JSON.stringify({ spec });
  const args = ['patch', '--local', '-f', file, '--type', 'strategic', '-o', 'json', '-p', patch];
  const { stdout } = await patched(kubectl ?? '', args, { env: { ...process.env, ...BRIEFLY } });
  return { merged: jsonOf(ours?.['spec']), kubectls: jsonOf(Reflect.get(Object(JSON.parse(stdout)), 'spec')) };
}

function deploymentOverlay(): fc.Arbitrary<JsonObject> {
  const pod = some({
    terminationGracePeriodSeconds: fc.constantFrom(5, null),
    serviceAccountName: fc.constantFrom('other', null),
    nodeSelector: fc.constantFrom<Json[]>({ a: 'b' }, {}),
    securityContext: replaceable(some({ runAsGroup: fc.nat(9), sysctls: fc.constant([{ name: 's', value: '1' }]) })),
    containers: replaceableList(items(['proxy', 'side'], container()), { name: 'only', image: 'only' }),
    volumes: replaceableList(
      items(['config-volume', 'tmp', 'more'], some({ emptyDir: fc.constant({ sizeLimit: '1' }) })),
      {
        name: 'only',
      },
    ),
  });
  const metadata = some({
    labels: replaceable(some({ extra: fc.constant('l'), 'app.kubernetes.io/name': fc.constant('n') })),
  });
  return some({
    replicas: fc.constantFrom(3, null),
    minReadySeconds: fc.nat(9),
    template: some({ spec: pod, metadata }),
  });
}

function container(): fc.Arbitrary<JsonObject> {
  const env = ['RUST_LOG', 'EXTRA', 'SESSION_KEY', 'GATEWAY', 'NEW_A', 'NEW_B'];
  return some({
    image: fc.constantFrom('i', 'j'),
    args: fc.constantFrom<Json[]>(['-x'], []),
    imagePullPolicy: fc.constant(null),
    '$deleteFromPrimitiveList/args': fc.constant(['-f']),
    env: items(env, fc.record({ value: fc.constantFrom('1', '2') })),
    resources: replaceable(
      some({ limits: fc.constant({ cpu: '1' }), requests: fc.constantFrom<Json[]>({ cpu: '2' }, null) }),
    ),
    '$setElementOrder/volumeMounts': fc.constant([{ mountPath: '/tmp' }, { mountPath: '/config' }]),
  }).map(withoutUnusedDirectives);
}

/** A new container has nothing that a directive could be about, and kubectl copies directives into new items. */
function withoutUnusedDirectives(value: JsonObject): JsonObject {
  const clash = '$deleteFromPrimitiveList/args' in value && 'args' in value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !clash || key !== '$deleteFromPrimitiveList/args'));
}

function serviceOverlay(): fc.Arbitrary<JsonObject> {
  const port = some({ name: fc.constantFrom('a', 'b'), targetPort: fc.nat(9), nodePort: fc.constant(null) });
  const keys = fc.uniqueArray(fc.constantFrom(8080, 9090), { minLength: 1 });
  const ports = keys.chain((chosen) =>
    fc.tuple(...chosen.map((key) => port.map((rest) => plain({ port: key, ...rest }, key === 8080)))),
  );
  return some({
    type: fc.constantFrom('ClusterIP', null),
    sessionAffinity: fc.constant('ClientIP'),
    selector: replaceable(some({ extra: fc.constant('s') })),
    ports: replaceableList(ports, { port: 1 }),
  });
}

/** Items of a keyed list: each known, new, or deleted; what is new holds no directives and no nulls. */
function items(keys: readonly string[], rest: fc.Arbitrary<JsonObject>): fc.Arbitrary<readonly Json[]> {
  const known = new Set(['proxy', 'config-volume', 'tmp', 'RUST_LOG', 'EXTRA', 'SESSION_KEY', 'GATEWAY']);
  return fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1 }).chain((chosen) =>
    fc.tuple(
      ...chosen.map((name) => {
        const item = rest.map((members) => plain({ name, ...members }, known.has(name)));
        return known.has(name) && name !== 'proxy'
          ? fc.oneof(item, fc.constant<JsonObject>({ name, $patch: 'delete' }))
          : item;
      }),
    ),
  );
}

function plain(item: JsonObject, isKnown: boolean): JsonObject {
  if (isKnown) return item;
  const { env: _, resources: __, ...members } = item;
  return Object.fromEntries(Object.entries(members).filter(([key, value]) => value !== null && !key.startsWith('$')));
}

function replaceable(map: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const replacing = map.map((members) => ({ ...plainMembers(members), $patch: 'replace' }));
  return fc.oneof({ weight: 3, arbitrary: map }, { weight: 1, arbitrary: replacing });
}

function plainMembers(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function replaceableList(list: fc.Arbitrary<readonly Json[]>, only: JsonObject): fc.Arbitrary<readonly Json[]> {
  return fc.oneof({ weight: 4, arbitrary: list }, { weight: 1, arbitrary: fc.constant([{ $patch: 'replace' }, only]) });
}

function some(members: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys: [] }).map(jsonObjectOf);
}

function findKubectl(): string | undefined {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return 'kubectl';
  } catch {
    // Not installed: the tests say so.
    return undefined;
  }
}
