import path from 'node:path';
import { startAdapterClient, type AdapterClient } from './adapter-client.ts';
import { UNLIMITED_MS } from './attendant.ts';
import { fillPlaceholders, type Manifest } from './manifest.ts';
import { requireHonesty } from './honesty.ts';
import { listens } from './ports.ts';
import { peerPlace } from './peer-place.ts';
import { ImplementationFault, UsageFault, type Endpoint } from './session.ts';
import { shareAdapter } from './shared-adapter.ts';

/** Values for the placeholders of commands, paths and endpoints. */
export function placeholderValues(
  manifest: Manifest,
  dir: string,
  ports: { readonly data: number; readonly admin: number; readonly stats?: number },
): Record<string, string> {
  const { data, admin, stats } = ports;
  return {
    dir,
    manifest: manifest.folder,
    'port.data': String(data),
    'port.admin': String(admin),
    ...(stats === undefined ? {} : { 'port.stats': String(stats) }),
  };
}

/** Starts the adapter of a manifest, if it names one and none answers for it yet, and puts the honesty probes to it. */
export async function startManifestAdapter(
  manifest: Manifest,
  values: Readonly<Record<string, string>>,
  takesResources: boolean,
): Promise<AdapterClient | undefined> {
  if (manifest.adapter === undefined) return undefined;
  const { folder, extraEnv: env } = manifest;
  const command = manifest.adapter.map((word) => fillPlaceholders(word, values, manifest.file));
  const start = async (): Promise<AdapterClient> => {
    const adapter = await startAdapterClient(command, folder, {
      suite: { suite: 'proxy-conformance' },
      env,
      ...(manifest.attendant === undefined ? {} : { withinMs: UNLIMITED_MS }),
    });
    try {
      await requireHonesty(adapter, takesResources);
      return adapter;
    } catch (error) {
      await adapter.stop();
      throw error;
    }
  };
  // Who is handed resources knows those of one instance.
  return takesResources ? start() : shareAdapter({ command, folder, env }, start);
}

/**
 * Features of the manifest; what it leaves out may come from the adapter, and whether peers have a name from where they are. What needs
 * `{{platform}}` only a program can have that knows where it is: that the suite starts it, or that the manifest names a port for it.
 */
export function featuresOf(manifest: Manifest, adapter: AdapterClient | undefined): Readonly<Record<string, boolean>> {
  const said = Object.entries(adapter?.hello.features ?? {}).map(
    ([name, value]) => [name, value === true || value === 'yes'] as const,
  );
  const isTold = isStartedHere(manifest) || manifest.peers.platform !== undefined;
  return {
    'peers.name': peerPlace(manifest).name !== undefined,
    ...Object.fromEntries(said),
    ...manifest.features,
    ...(isTold ? {} : Object.fromEntries(OF_PLATFORM.map((name) => [name, false]))),
  };
}

/** Whether the suite starts the implementation, and tells it what there is. */
export function isStartedHere({ run }: Pick<Manifest, 'run'>): boolean {
  return run.kind === 'process' || run.kind === 'container';
}

/** Features whose text speaks of the platform. */
export const OF_PLATFORM: readonly string[] = [
  'backend.auth.assumeRole',
  'backend.auth.cloudB.directory',
  'backend.auth.cloudB.managedIdentity',
  'backend.auth.discovery.cloudB',
  'backend.auth.discovery.cloudC',
];

/** Where a manifest says that metrics are read; undefined where it says nothing. */
export function metricsUrl(
  { endpoints, file }: Manifest,
  values: Readonly<Record<string, string>>,
): string | undefined {
  return endpoints?.metrics === undefined ? undefined : fillPlaceholders(endpoints.metrics, values, file);
}

/** `http://127.0.0.1:3000` as an endpoint. Throws UsageFault. */
export function endpointOf(text: string, file: string): Endpoint {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'http:') throw new UsageFault(`${file}: ${text} is no http URL`);
  return { host: url.hostname, port: url.port === '' ? 80 : Number(url.port) };
}

/** Throws ImplementationFault when somebody listens on the endpoint already. */
export async function requireFree(endpoint: Endpoint, what: string): Promise<void> {
  if (await listens(endpoint))
    throw new ImplementationFault(`port ${endpoint.port} (${what}) is already in use by another program`);
}

/** The log file that a manifest names, or undefined: then the output of the program is the log. */
export function logFileOf(manifest: Manifest, values: Readonly<Record<string, string>>): string | undefined {
  const { log } = manifest.run;
  return log === undefined ? undefined : path.resolve(manifest.folder, fillPlaceholders(log, values, manifest.file));
}

/** The last lines of a program's output as a suffix of a message. */
export function lastWords(logs: readonly string[]): string {
  return logs.length === 0
    ? ''
    : `; its last lines:\n${logs
        .slice(-10)
        .map((line) => `    ${line}`)
        .join('\n')}`;
}
