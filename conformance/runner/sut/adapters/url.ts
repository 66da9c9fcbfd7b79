import path from 'node:path';
import { allResources, directoryDelivery, fileDelivery, httpDelivery, type Reload } from '../delivery.ts';
import { canonicalPolicy, loadDialect, type Dialect } from '../dialect.ts';
import { createLogMark, SILENT } from '../log-mark.ts';
import { fillPlaceholders, type Manifest } from '../manifest.ts';
import { adapterDelivery, operationsOf } from '../operations.ts';
import { ImplementationFault, type Delivered, type Endpoint, type Session } from '../session.ts';
import { listens } from '../ports.ts';
import { endpointOf, featuresOf, logFileOf, placeholderValues, startManifestAdapter } from '../start-parts.ts';
import { yamlText } from '../../values/yaml-text.ts';

type UrlRun = Extract<Manifest['run'], { readonly kind: 'url' }>;

/** Reaches an implementation that somebody else runs. Configuration goes to a path of the user, over HTTP, or through an adapter. */
export async function startUrlSession(manifest: Manifest, run: UrlRun): Promise<Session> {
  const { data, admin } = endpointsOf(manifest);
  const values = placeholderValues(manifest, manifest.folder, { data: data.port, admin: admin?.port ?? 0 });
  const adapter = await startManifestAdapter(manifest, values, run.config.deliver === 'adapter');
  const dialect = loadDialect(manifest.dialect, manifest.folder);
  const target = path.resolve(manifest.folder, fillPlaceholders(run.config.path ?? '.', values, manifest.file));
  const deliver =
    adapter !== undefined && run.config.deliver === 'adapter'
      ? adapterDelivery(adapter, dialect)
      : writtenDelivery(run, target, dialect, admin ?? data);
  const delivered = new Set<string>();
  const life = watchFromOutside(manifest, data);
  manifest.attendant?.say(`attached to http://${data.host}:${data.port}, where nothing has a limit; Enter goes on`);
  return {
    implementation: manifest.implementation,
    endpoints: { data, admin, metrics: manifest.endpoints?.metrics },
    features: featuresOf(manifest, adapter),
    ops: adapter?.hello.ops ?? [],
    unspecified: { ...adapter?.hello.unspecified, ...manifest.unspecified },
    deliver: async (delivery) => {
      for (const namespace of delivery.changed) delivered.add(namespace);
      const outcome = await deliver(delivery);
      manifest.attendant?.say(
        `revision ${delivery.revision}, ${wayOf(manifest, run, target, outcome)}:`,
        allResources(delivery, dialect).map(inYaml).join(''),
      );
      return outcome;
    },
    op: operationsOf(adapter, dialect),
    canonicalPolicy: (policy, phase) => canonicalPolicy(policy, phase, dialect),
    crashed: life.crashed,
    gone: life.look,
    logs: () => adapter?.logs() ?? [],
    markLogs: createLogMark(adapter ?? SILENT, logFileOf(manifest, values)),
    asDelivered: dialect.toImplementation,
    // Whoever runs it may have brought it back: then it takes the configuration that is handed over next.
    restart: async () => life.forget(),
    stop: async () => {
      // The configuration is somebody else's: it is left as it was found.
      if (delivered.size > 0) await deliver({ revision: 0, files: new Map(), changed: [...delivered] });
      await adapter?.stop();
    },
  };
}

/** Of an implementation that somebody else runs only this is seen of its end: nothing listens where it was. */
function watchFromOutside(
  { gateways, attendant }: Manifest,
  data: Endpoint,
): Pick<Session, 'crashed'> & { readonly look: () => Promise<string | undefined>; readonly forget: () => void } {
  let gone: string | undefined;
  return {
    crashed: () => gone,
    look: async () => {
      // Who attends may have stopped it, and a Gateway with an address of its own listens elsewhere.
      const isThere = attendant !== undefined || gateways === 'addressed' || (await listens(data));
      gone = isThere ? undefined : `the implementation no longer listens at http://${data.host}:${data.port}`;
      return gone;
    },
    forget: () => {
      gone = undefined;
    },
  };
}

function inYaml(resource: unknown): string {
  return `---\n${yamlText(resource)}`;
}

/** Where a person finds what is to be applied, and whether that is done already. */
function wayOf({ adapter }: Manifest, { config }: UrlRun, target: string, outcome: Delivered): string {
  if (outcome.kind !== 'delivered') return `which could not be handed over (${JSON.stringify(outcome)})`;
  if (config.deliver === 'adapter' && adapter !== undefined) return 'given to the adapter';
  const sent = typeof config.reload === 'object' && 'http' in config.reload ? `sent as ${config.reload.http}` : '';
  return [config.path === undefined ? '' : `written to ${target}`, sent].filter((part) => part !== '').join(' and ');
}

function endpointsOf({ endpoints, file }: Manifest): { readonly data: Endpoint; readonly admin: Endpoint | undefined } {
  const admin = endpoints?.admin;
  return {
    data: endpointOf(endpoints?.data ?? 'http://127.0.0.1:80', file),
    admin: admin === undefined ? undefined : endpointOf(admin, file),
  };
}

function writtenDelivery({ config }: UrlRun, target: string, dialect: Dialect, endpoint: Endpoint): Session['deliver'] {
  const reload: Reload = {
    how: config.reload,
    endpoint,
    signal: () => cannot('be sent a signal'),
    restart: async () => cannot('be restarted'),
  };
  if (config.path === undefined) return httpDelivery(dialect, reload);
  return config.deliver === 'directory'
    ? directoryDelivery(target, dialect, reload)
    : fileDelivery(target, dialect, reload);
}

function cannot(what: string): never {
  throw new ImplementationFault(`an implementation of run.kind url cannot ${what} by the runner`);
}
