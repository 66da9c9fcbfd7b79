import { rm } from 'node:fs/promises';
import type { AdapterClient, Answer } from '../adapter-client.ts';
import { canonicalPolicy, loadDialect } from '../dialect.ts';
import { violationsOf } from '../honesty.ts';
import { createLogMark } from '../log-mark.ts';
import type { Manifest } from '../manifest.ts';
import { adapterDelivery, operationsOf } from '../operations.ts';
import { freePort } from '../ports.ts';
import { ImplementationFault, type Endpoint, type Session } from '../session.ts';
import {
  endpointOf,
  featuresOf,
  lastWords,
  logFileOf,
  placeholderValues,
  startManifestAdapter,
} from '../start-parts.ts';
import { makeTempFolder, placeOfDeliveries } from '../temp-folder.ts';
import { withinFair } from '../time/fair-time.ts';

type AdapterRun = Extract<Manifest['run'], { readonly kind: 'adapter' }>;

/** Everything through the adapter: it starts the implementation, takes the configuration, and stops it. */
export async function startAdapterSession(manifest: Manifest, run: AdapterRun): Promise<Session> {
  const dir = await makeTempFolder('', await placeOfDeliveries());
  const ports = { data: manifest.dataPort ?? (await freePort()), admin: await freePort() };
  let live: Started;
  try {
    live = await start(manifest, run, dir, ports);
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
  const dialect = loadDialect(manifest.dialect, manifest.folder);
  const { hello } = live.adapter;
  const crashed = (): string | undefined => {
    const broken = live.adapter.broken();
    return broken === undefined ? undefined : `the adapter ${broken}`;
  };
  return {
    implementation: manifest.implementation,
    endpoints: { ...live.endpoints, metrics: manifest.endpoints?.metrics },
    features: featuresOf(manifest, live.adapter),
    ops: hello.ops,
    unspecified: { ...hello.unspecified, ...manifest.unspecified },
    deliver: async (delivery) => adapterDelivery(live.adapter, dialect)(delivery),
    op: async (name, input, caseId) => operationsOf(live.adapter, dialect)(name, input, caseId),
    canonicalPolicy: (policy, phase) => canonicalPolicy(policy, phase, dialect),
    crashed,
    gone: async (limitMs) => {
      await withinFair([live.adapter.ended], limitMs);
      return crashed();
    },
    logs: () => live.adapter.logs(),
    markLogs: createLogMark(
      { logs: () => live.adapter.logs(), logged: () => live.adapter.logged() },
      logFileOf(manifest, placeholderValues(manifest, dir, ports)),
    ),
    asDelivered: dialect.toImplementation,
    restart: async () => {
      await live.adapter.stop();
      live = await start(manifest, run, dir, ports);
    },
    stop: async () => {
      await live.adapter.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

interface Started {
  readonly adapter: AdapterClient;
  readonly endpoints: { readonly data: Endpoint; readonly admin: Endpoint };
}

async function start(
  manifest: Manifest,
  _run: AdapterRun,
  dir: string,
  ports: { readonly data: number; readonly admin: number },
): Promise<Started> {
  const adapter = await startManifestAdapter(manifest, placeholderValues(manifest, dir, ports), true);
  if (adapter === undefined) throw new ImplementationFault('the manifest names no adapter');
  let answer: Answer;
  try {
    answer = await adapter.call('start', { dir, ports });
  } catch (error) {
    await adapter.stop();
    throw error;
  }
  const complaints = violationsOf('start', answer);
  if (complaints.length > 0 || answer['ok'] !== true) {
    await adapter.stop();
    throw new ImplementationFault(
      `the adapter could not start the implementation: ${complaints.join('; ') || JSON.stringify(answer)}${lastWords(adapter.logs())}`,
    );
  }
  return {
    adapter,
    endpoints: {
      data: endpointFrom(answer, 'data', ports.data, manifest),
      admin: endpointFrom(answer, 'admin', ports.admin, manifest),
    },
  };
}

function endpointFrom(answer: Answer, name: 'data' | 'admin', fallback: number, manifest: Manifest): Endpoint {
  const value = answer[name];
  if (typeof value === 'string') return endpointOf(value, manifest.file);
  return { host: '127.0.0.1', port: typeof value === 'number' ? value : fallback };
}
