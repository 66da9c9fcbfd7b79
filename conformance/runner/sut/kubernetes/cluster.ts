import { randomBytes } from 'node:crypto';
import type { Dialect } from '../dialect.ts';
import { clusterOf, type Manifest } from '../manifest.ts';
import { ImplementationFault, type Delivered, type Delivery, type OperationAnswer, type Resource } from '../session.ts';
import { apiServer, type ServerChoice } from './api-server.ts';
import { createKubernetesClient, type KubernetesClient } from './client.ts';
import { kubernetesDelivery, translateResource } from './kubernetes-delivery.ts';
import { readGatewayClass, type ClassNames } from './gateway-class.ts';
import { KUBERNETES_OPS, kubernetesOperation } from './kubernetes-operations.ts';
import { findRuns, removeRun } from './leftovers.ts';
import { prefixedNamespaces } from './namespaces.ts';
import { showPresence } from './presence.ts';
import { RUN } from './run-mark.ts';
import { isObject } from '../../values/json.ts';
import { fairNow } from '../time/fair-time.ts';

/** An API server that takes the suite's configuration and answers for it. */
export interface Cluster {
  readonly ops: readonly string[];
  readonly deliver: (delivery: Delivery) => Promise<Delivered>;
  readonly op: (name: string, input: unknown) => Promise<OperationAnswer>;
  /** A canonical resource as the server gets it. */
  readonly asDelivered: (resource: Resource) => unknown;
  /** Deletes everything the suite has put there. */
  readonly clean: () => Promise<void>;
}

/** What a manifest says about its cluster. */
export interface ClusterChoice extends ServerChoice {
  readonly namespacePrefix: string;
  readonly gatewayClass?: string | undefined;
}

/** What stands before the namespaces of the suite in a cluster: the prefix of the manifest, and the run where others may use it too. */
export function clusterPrefix(manifest: Manifest): string {
  const { namespacePrefix = '' } = clusterOf(manifest) ?? {};
  return prefixIn(namespacePrefix, runIn(manifest));
}

function prefixIn(prefix: string, run: string | undefined): string {
  return run === undefined ? prefix : `${prefix}${run}-`;
}

let sessions = 0;

/** Of a session after the first: namespaces of one that has ended may be on their way out for long, or for ever, and another may be at work. */
function prefixInSession(prefix: string, run: string | undefined): string {
  sessions += 1;
  return run === undefined || sessions === 1 ? prefix : `${prefix}${sessions}-`;
}

/** The mark of this run; undefined where no cluster takes the resources, or one that a program has for itself. */
export function runIn(manifest: Manifest): string | undefined {
  const choice = clusterOf(manifest);
  const isOwn = manifest.run.kind === 'process' && choice?.kubeconfig === undefined;
  return choice === undefined || isOwn ? undefined : RUN;
}

/** Connects, waiting until the server answers. Throws ImplementationFault when it does not, or when it says yes to everything. */
export async function connectCluster(
  choice: ClusterChoice,
  manifest: Manifest,
  dialect: Dialect,
  withinMs: number,
): Promise<Cluster> {
  const server = apiServer(choice, manifest.folder, manifest.file);
  const client = createKubernetesClient(server);
  await requireServer(client, server.url.href, withinMs);
  await requireHonesty(client).catch(toldAsFault);
  const run = runIn(manifest);
  const prefix = prefixInSession(prefixIn(choice.namespacePrefix, run), run);
  const names = { ...prefixedNamespaces(prefix), ...(await classNames(client, choice, manifest)), run };
  const stay = run === undefined ? undefined : await joinCluster(client, dialect, prefix, run).catch(toldAsFault);
  const delivery = kubernetesDelivery(client, dialect, names);
  const operations = kubernetesOperation(client, dialect, names);
  return {
    ops: KUBERNETES_OPS,
    deliver: delivery.deliver,
    op: operations.op,
    asDelivered: (resource) => translateResource(resource, dialect, names),
    clean: async () => {
      try {
        await Promise.all([delivery.clean(), operations.clean(), stay?.settled()]);
        await stay?.end();
      } catch (error) {
        // What was found out counts all the same, and the next run removes what is left.
        const why = error instanceof Error ? error.message : String(error);
        process.stderr.write(`not everything under ${prefix}* could be removed: ${why}\n`);
      }
    },
  };
}

interface Stay {
  /** Stops the clean-up after others. */
  readonly settled: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Shows that a run is at work, and removes in passing what runs have left that are over. What is not removed waits for the next run. */
async function joinCluster(client: KubernetesClient, dialect: Dialect, prefix: string, run: string): Promise<Stay> {
  const { end } = await showPresence(client, prefix, run);
  const stop = new AbortController();
  const cleaning = removeOver(client, groupOf(dialect), run, stop.signal).catch(() => undefined);
  return {
    settled: async () => {
      stop.abort();
      await cleaning;
    },
    end,
  };
}

async function removeOver(client: KubernetesClient, group: string, run: string, signal: AbortSignal): Promise<void> {
  for (const { run: other, state } of await findRuns(client, run))
    if (state === 'over' && !signal.aborted) await removeRun(client, other, group, signal);
}

/** The group and version in which the implementation has its own kinds. */
export function groupOf(dialect: Dialect): string {
  const own = dialect.toImplementation({ apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyPolicy' });
  return isObject(own) ? String(own['apiVersion']) : '';
}

/** Of a server that is there already the class is as well; a program that offers its own may make it later. */
async function classNames(
  client: KubernetesClient,
  { gatewayClass }: ClusterChoice,
  { run }: Manifest,
): Promise<ClassNames> {
  return gatewayClass !== undefined && run.kind === 'kubernetes'
    ? readGatewayClass(client, gatewayClass)
    : { gatewayClass };
}

/** Speaks to the API server of a manifest that names one. Throws UsageFault. */
export function clientOf(manifest: Manifest): KubernetesClient {
  return createKubernetesClient(apiServer(clusterOf(manifest) ?? {}, manifest.folder, manifest.file));
}

const PAUSE_MS = 20;

async function requireServer(client: KubernetesClient, where: string, withinMs: number): Promise<void> {
  const deadline = fairNow() + withinMs;
  for (;;) {
    const answer = await client.get('/version').catch((error: unknown) => String(error));
    if (typeof answer !== 'string' && answer.status === 200) return;
    if (fairNow() > deadline) {
      const why = typeof answer === 'string' ? answer : `it answers ${answer.status} to GET /version`;
      throw new ImplementationFault(`no API server at ${where} within ${withinMs} ms: ${why}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** A server that answers once and then no more is no fault of the suite. */
function toldAsFault(error: unknown): never {
  throw error instanceof ImplementationFault
    ? error
    : new ImplementationFault(error instanceof Error ? error.message : String(error));
}

/** No honest server takes a resource of a kind that nobody has ever heard of. */
async function requireHonesty(client: KubernetesClient): Promise<void> {
  const kind = `Zz${randomBytes(4).toString('hex')}`;
  const strange = {
    apiVersion: 'proxy.example/v1alpha1',
    kind,
    metadata: { name: kind.toLowerCase(), namespace: 'default' },
    spec: {},
  };
  const { status } = await client.apply(strange);
  if (status >= 200 && status < 300)
    throw new ImplementationFault(`the API server is refused: it took a resource of the random kind ${kind}`);
}
