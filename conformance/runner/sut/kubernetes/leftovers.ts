import { isObject } from '../../values/json.ts';
import type { Resource } from '../session.ts';
import { isSuccess, refOf, type KubernetesClient } from './client.ts';
import { isOver, LEASES, writtenAt } from './presence.ts';
import { MANAGED_BY, RUN_LABEL, runOf, SUITE } from './run-mark.ts';

/** Where what cases bring along may lie, beside the group of the implementation. Routes and Gateways go first. */
const GROUPS: readonly string[] = [
  'gateway.networking.k8s.io/v1',
  'gateway.networking.k8s.io/v1beta1',
  'inference.networking.k8s.io/v1',
  'discovery.k8s.io/v1',
  'apps/v1',
];
const CORE = 'v1';
const AT_ONCE = 8;

/** Something of the suite that a run has left. */
export interface Leftovers {
  readonly run: string;
  /** `over`: provably. `unknown`: nothing tells, since it has no lease. */
  readonly state: 'at work' | 'over' | 'unknown';
  readonly namespaces: readonly string[];
}

/** What runs have in a cluster, this one left out; one entry for each run. */
export async function findRuns(client: KubernetesClient, own: string): Promise<readonly Leftovers[]> {
  const [leases, spaces] = await Promise.all([ofSuite(client, LEASES, 'Lease'), ofSuite(client, CORE, 'Namespace')]);
  // The server's clock, as it is in what was written last: this run renews a lease of its own.
  const now = Math.max(0, ...leases.map(({ metadata }) => writtenAt(metadata) ?? 0));
  const runs = new Set([...leases, ...spaces].map(runOf));
  return [...runs].flatMap((run) => {
    if (run === undefined || run === own) return [];
    const held = leases.filter((lease) => runOf(lease) === run);
    const state = held.length === 0 ? 'unknown' : held.every((lease) => isOver(lease, now)) ? 'over' : 'at work';
    return [{ run, state, namespaces: spaces.filter((space) => runOf(space) === run).map(nameOf) } as const];
  });
}

/**
 * Deletes what carries the label of a run: what lies in its namespaces first, since a server may have nobody who does it; then these, and the
 * lease at the end, so that whoever comes after a clean-up that was cut short still knows of it. The answer is how many objects went.
 */
export async function removeRun(
  client: KubernetesClient,
  run: string,
  group: string,
  signal?: AbortSignal,
): Promise<number> {
  const found = await Promise.all(
    [...GROUPS, group, CORE].map(async (version) => client.labelled(version, labelsOf(run))),
  );
  const objects = [...new Map(found.flat().map((one) => [keyOf(one), one])).values()];
  const rest = objects.filter((one) => !isSpace(one)).toSorted((one, other) => rank(one) - rank(other));
  let removed = 0;
  const remove = async (wanted: readonly Resource[]): Promise<void> => {
    const queue = wanted.values();
    const worker = async (): Promise<void> => {
      for (const one of queue) {
        if (signal?.aborted === true) return;
        // A label is no proof in a list that a server has not filtered.
        if (runOf(one) === run && isSuccess(await client.remove(refOf(one)))) removed += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  };
  await remove(rest);
  await remove(objects.filter(isSpace));
  if (signal?.aborted !== true) await remove(await client.labelled(LEASES, labelsOf(run)));
  return removed;
}

function labelsOf(run: string): string {
  return `${MANAGED_BY}=${SUITE},${RUN_LABEL}=${run}`;
}

async function ofSuite(client: KubernetesClient, apiVersion: string, kind: string): Promise<readonly Resource[]> {
  const found = await client.labelled(apiVersion, `${MANAGED_BY}=${SUITE},${RUN_LABEL}`, [kind]);
  // What is on its way out is nobody's task any more, however long its finalizers take.
  return found.filter((one) => runOf(one) !== undefined && !isLeaving(one));
}

function isLeaving({ metadata }: Resource): boolean {
  return isObject(metadata) && metadata['deletionTimestamp'] !== undefined;
}

function isSpace({ kind }: Resource): boolean {
  return kind === 'Namespace';
}

/** The other way round than they came: routes before what they lead to. */
function rank({ kind }: Resource): number {
  return String(kind).endsWith('Route') ? 0 : kind === 'Gateway' ? 1 : 2;
}

function keyOf({ kind, metadata }: Resource): string {
  // The same object is listed under each version of its group.
  const { namespace, name } = isObject(metadata) ? metadata : {};
  return JSON.stringify([kind, namespace, name]);
}

function nameOf({ metadata }: Resource): string {
  return isObject(metadata) ? String(metadata['name']) : '';
}
