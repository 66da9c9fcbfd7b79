import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isList, isObject } from '../../values/json.ts';
import { isAlive } from '../is-alive.ts';
import type { Resource } from '../session.ts';
import { isSuccess, refOf, type KubernetesClient } from './client.ts';
import { inRun } from './run-mark.ts';
import { wallClock } from '../../values/wall-clock.ts';

export const LEASES = 'coordination.k8s.io/v1';
const RENEWED_EVERY_MS = 15_000;
/** A run whose lease is not renewed for so long is over: a machine that starves its runner that long lets no case end either. */
const OVER_AFTER_MS = 300_000;

/** A namespace of a session in which nothing of a case lies, and a lease in it that shows that the run is still at work. */
export interface Presence {
  readonly namespace: string;
  /** False where the server takes no leases of this user: then nobody can tell when this run is over, and nobody cleans up after it. */
  readonly shown: boolean;
  /** The lease goes last: until then others can see that something is left. */
  readonly end: () => Promise<void>;
}

/** Makes both before anything else is made in the cluster. */
export async function showPresence(client: KubernetesClient, prefix: string, run: string): Promise<Presence> {
  const namespace = `${prefix}session-${randomBytes(4).toString('hex')}`;
  const space = inRun({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, run);
  await client.apply(space);
  const apply = async (): Promise<boolean> => client.apply(leaseOf(namespace, run)).then(isSuccess, () => false);
  const shown = await apply();
  let renewing: Promise<unknown> = Promise.resolve();
  const renew = (): void => {
    renewing = apply();
  };
  const renewal = shown ? setInterval(renew, RENEWED_EVERY_MS) : undefined;
  renewal?.unref();
  return {
    namespace,
    shown,
    end: async () => {
      clearInterval(renewal);
      await renewing;
      await client.remove(refOf(space));
      if (shown) await client.remove(refOf(leaseOf(namespace, run)));
    },
  };
}

function leaseOf(namespace: string, run: string): Resource {
  return inRun(
    {
      apiVersion: LEASES,
      kind: 'Lease',
      metadata: { name: 'run', namespace },
      spec: {
        holderIdentity: holder(),
        leaseDurationSeconds: OVER_AFTER_MS / 1000,
        renewTime: new globalThis.Date(wallClock()).toISOString().replace('Z', '000Z'),
      },
    },
    run,
  );
}

/** The process, by everything that makes its number mean one: machine since its start, namespace of process numbers. */
function holder(pid = process.pid): string {
  return [
    hostname(),
    place(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    place(() => readlinkSync('/proc/self/ns/pid')),
    pid,
  ].join('/');
}

function place(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** Whether whoever holds a lease has provably ended. `now` is the time of the server, which all of them share. */
export function isOver(lease: Resource, now: number): boolean {
  const { spec, metadata } = lease;
  const said = isObject(spec) ? String(spec['holderIdentity']) : '';
  const pid = Number(said.split('/').at(-1));
  // Where numbers of processes mean the same as here it is known at once.
  if (place(() => readlinkSync('/proc/self/ns/pid')) !== '' && said === holder(pid)) return !isAlive(pid);
  const renewed = writtenAt(metadata);
  return renewed !== undefined && now - renewed > OVER_AFTER_MS;
}

/** When an object was last written, by the clock of the server; undefined where the server does not say it. */
export function writtenAt(metadata: unknown): number | undefined {
  const managed = isObject(metadata) && isList(metadata['managedFields']) ? metadata['managedFields'] : [];
  const times = managed.filter(isObject).map(({ time }) => globalThis.Date.parse(String(time)));
  const known = times.filter((time) => !Number.isNaN(time));
  return known.length === 0 ? undefined : Math.max(...known);
}
