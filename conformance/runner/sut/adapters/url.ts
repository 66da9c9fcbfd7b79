import path from 'node:path';
import { directoryDelivery, fileDelivery, httpDelivery, type Reload } from '../delivery.ts';
import { canonicalPolicy, loadDialect } from '../dialect.ts';
import { fillPlaceholders, type Manifest } from '../manifest.ts';
import { adapterDelivery, operationsOf } from '../operations.ts';
import { ImplementationFault, type Session } from '../session.ts';
import { endpointOf, featuresOf, placeholderValues, startManifestAdapter } from '../start-parts.ts';

type UrlRun = Extract<Manifest['run'], { readonly kind: 'url' }>;

/** Reaches an implementation that somebody else runs. Configuration goes to a path of the user, over HTTP, or through an adapter. */
export async function startUrlSession(manifest: Manifest, run: UrlRun): Promise<Session> {
  const data = endpointOf(manifest.endpoints?.data ?? '', manifest.file);
  const admin =
    manifest.endpoints?.admin === undefined ? undefined : endpointOf(manifest.endpoints.admin, manifest.file);
  const values = placeholderValues(manifest, manifest.folder, { data: data.port, admin: admin?.port ?? 0 });
  const adapter = await startManifestAdapter(manifest, values, run.config.deliver === 'adapter');
  const dialect = loadDialect(manifest.dialect, manifest.folder);
  const reload: Reload = {
    how: run.config.reload,
    endpoint: admin ?? data,
    signal: () => cannot('be sent a signal'),
    restart: async () => cannot('be restarted'),
  };
  const target = path.resolve(manifest.folder, fillPlaceholders(run.config.path ?? '.', values, manifest.file));
  const byFile = run.config.path === undefined ? httpDelivery(dialect, reload) : fileDelivery(target, dialect, reload);
  const byAdapter = adapter === undefined ? byFile : adapterDelivery(adapter, dialect);
  const deliver = {
    directory: run.config.path === undefined ? byFile : directoryDelivery(target, dialect, reload),
    file: byFile,
    adapter: byAdapter,
  }[run.config.deliver];
  const delivered = new Set<string>();
  return {
    implementation: manifest.implementation,
    endpoints: { data, admin },
    features: featuresOf(manifest, adapter),
    ops: adapter?.hello.ops ?? [],
    unspecified: { ...adapter?.hello.unspecified, ...manifest.unspecified },
    deliver: async (delivery) => {
      for (const namespace of delivery.changed) delivered.add(namespace);
      return deliver(delivery);
    },
    op: operationsOf(adapter, dialect),
    canonicalPolicy: (policy, phase) => canonicalPolicy(policy, phase, dialect),
    crashed: () => undefined,
    gone: async () => undefined,
    logs: () => adapter?.logs() ?? [],
    restart: async () => cannot('be restarted'),
    stop: async () => {
      // The configuration is somebody else's: it is left as it was found.
      if (delivered.size > 0) await deliver({ revision: 0, files: new Map(), changed: [...delivered] });
      await adapter?.stop();
    },
  };
}

function cannot(what: string): never {
  throw new ImplementationFault(`an implementation of run.kind url cannot ${what} by the runner`);
}
