import { connectCluster } from '../kubernetes/cluster.ts';
import { canonicalPolicy, loadDialect } from '../dialect.ts';
import { parseDuration } from '../duration.ts';
import { createLogMark, SILENT } from '../log-mark.ts';
import type { Manifest } from '../manifest.ts';
import { operationsOf } from '../operations.ts';
import { ImplementationFault, type Session } from '../session.ts';
import {
  endpointOf,
  featuresOf,
  logFileOf,
  metricsUrl,
  placeholderValues,
  startManifestAdapter,
} from '../start-parts.ts';

type KubernetesRun = Extract<Manifest['run'], { readonly kind: 'kubernetes' }>;

/** Reaches an implementation that is installed behind an API server. What the suite has put there is deleted at the end. */
export async function startKubernetesSession(manifest: Manifest, run: KubernetesRun): Promise<Session> {
  const { endpoints, file } = manifest;
  // Without a word every Gateway has an address of its own, and its listeners the usual port.
  const data = endpointOf(endpoints?.data ?? 'http://127.0.0.1:80', file);
  const admin = endpoints?.admin === undefined ? undefined : endpointOf(endpoints.admin, file);
  const dialect = loadDialect(manifest.dialect, manifest.folder);
  const cluster = await connectCluster(run, manifest, dialect, parseDuration(run.ready.within) ?? 10_000);
  const values = placeholderValues(manifest, manifest.folder, { data: data.port, admin: admin?.port ?? 0 });
  const adapter = await startManifestAdapter(manifest, values, false);
  const byAdapter = operationsOf(adapter, dialect);
  return {
    implementation: manifest.implementation,
    endpoints: { data, admin, metrics: metricsUrl(manifest, values) },
    features: featuresOf(manifest, adapter),
    ops: [...new Set([...cluster.ops, ...(adapter?.hello.ops ?? [])])],
    unspecified: { ...adapter?.hello.unspecified, ...manifest.unspecified },
    deliver: cluster.deliver,
    op: async (name, input, caseId) =>
      cluster.ops.includes(name) ? cluster.op(name, input) : byAdapter(name, input, caseId),
    canonicalPolicy: (policy, phase) => canonicalPolicy(policy, phase, dialect),
    crashed: () => undefined,
    gone: async () => undefined,
    logs: () => adapter?.logs() ?? [],
    markLogs: createLogMark(adapter ?? SILENT, logFileOf(manifest, values)),
    asDelivered: cluster.asDelivered,
    restart: async () => {
      throw new ImplementationFault('an implementation of run.kind kubernetes cannot be restarted by the runner');
    },
    stop: async () => {
      await cluster.clean();
      await adapter?.stop();
    },
  };
}
