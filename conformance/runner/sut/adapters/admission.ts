import { canonicalPolicy, loadDialect } from '../dialect.ts';
import { parseDuration } from '../duration.ts';
import { connectCluster } from '../kubernetes/cluster.ts';
import { createLogMark, SILENT } from '../log-mark.ts';
import { clusterOf, type Manifest } from '../manifest.ts';
import { operationsOf } from '../operations.ts';
import { ImplementationFault, type OperationAnswer, type Session } from '../session.ts';
import { featuresOf, logFileOf, placeholderValues, startManifestAdapter } from '../start-parts.ts';
import { isObject } from '../../values/json.ts';

type AdmissionRun = Extract<Manifest['run'], { readonly kind: 'admission' }>;

/** Nobody listens there: Gateways of cases name a port all the same. */
const NOWHERE = { host: '127.0.0.1', port: 3000 } as const;

/**
 * Reaches whoever says which resources are accepted, an API server or an adapter, and makes sure that it says yes and no: before anything
 * counts, a good resource has to be accepted and a bad one refused. Nothing is delivered. Throws ImplementationFault.
 */
export async function startAdmissionSession(manifest: Manifest, run: AdmissionRun): Promise<Session> {
  const dialect = loadDialect(manifest.dialect, manifest.folder);
  const choice = clusterOf(manifest);
  const withinMs = parseDuration(run.ready.within) ?? 10_000;
  const cluster = choice === undefined ? undefined : await connectCluster(choice, manifest, dialect, withinMs);
  const values = placeholderValues(manifest, manifest.folder, { data: NOWHERE.port, admin: 0 });
  const adapter = await startManifestAdapter(manifest, values, false);
  const byAdapter = operationsOf(adapter, dialect);
  const op: Session['op'] = async (name, input, caseId) =>
    cluster !== undefined && name === 'validate' ? cluster.op(name, input) : byAdapter(name, input, caseId);
  const stop = async (): Promise<void> => {
    await cluster?.clean();
    await adapter?.stop();
  };
  try {
    await requireJudgement(op);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    implementation: manifest.implementation,
    endpoints: { data: NOWHERE },
    admissionOnly: true,
    features: { 'op.validate': true, ...featuresOf(manifest, adapter) },
    ops: [...new Set(['validate', ...(adapter?.hello.ops ?? [])])],
    unspecified: { ...adapter?.hello.unspecified, ...manifest.unspecified },
    deliver: async ({ files }) =>
      files.size === 0
        ? { kind: 'delivered' }
        : { kind: 'failed', message: 'run.kind admission has no data plane to deliver to' },
    op,
    canonicalPolicy: (policy, phase) => canonicalPolicy(policy, phase, dialect),
    crashed: () => undefined,
    gone: async () => undefined,
    logs: () => adapter?.logs() ?? [],
    markLogs: createLogMark(adapter ?? SILENT, logFileOf(manifest, values)),
    asDelivered: cluster?.asDelivered ?? dialect.toImplementation,
    restart: async () => {
      throw new ImplementationFault('an implementation of run.kind admission cannot be restarted by the runner');
    },
    stop,
  };
}

async function requireJudgement(op: Session['op']): Promise<void> {
  for (const { resource, accepted, what } of CONTROLS) {
    const answer = await op('validate', { resource }, 'control');
    if (verdictIn(answer) === accepted) continue;
    const said = answer.kind === 'result' ? answer.result : answer.message;
    throw new ImplementationFault(
      `nothing can be judged by what is accepted here: ${what} has to be ${accepted ? 'accepted' : 'refused'}, and the answer was ${JSON.stringify(said)}`,
    );
  }
}

function verdictIn(answer: OperationAnswer): unknown {
  return answer.kind === 'result' && isObject(answer.result) ? answer.result['accepted'] : undefined;
}

const CONTROLS = [
  { what: 'a ProxyBackend with host and port', accepted: true, resource: backend(80) },
  { what: 'a ProxyBackend with port 70000', accepted: false, resource: backend(70_000) },
] as const;

function backend(port: number): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { name: 'control', namespace: 'control' },
    spec: { static: { host: 'control.example', port } },
  };
}
