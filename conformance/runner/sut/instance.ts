import { createCanary, type Canary } from './canary.ts';
import { Configuration } from './configuration.ts';
import { parseDuration } from './duration.ts';
import { runIn } from './kubernetes/cluster.ts';
import type { Manifest } from './manifest.ts';
import { peerPlace } from './peer-place.ts';
import { PARTS_MS } from './revisions.ts';
import { ImplementationFault, type Session } from './session.ts';
import { lastWords } from './start-parts.ts';
import { startSession } from './start-session.ts';

/**
 * What an instance is for: cases that share it, cases during which nothing else may send, one case that wants its own, or cases that are
 * repeated alone.
 */
export const ROLES = ['shared', 'exclusive', 'own', 'alone'] as const;
export type Role = (typeof ROLES)[number];

/** A running implementation with its configuration and its canary. */
export interface Instance {
  readonly role: Role;
  readonly manifest: Manifest;
  readonly session: Session;
  readonly configuration: Configuration;
  /**
   * After a crash: starts it again, once in its life, with everything it held. False when it may not run again. Callers at
   * the same time share one restart.
   */
  readonly recover: () => Promise<boolean>;
  /** How often it has crashed. */
  readonly crashes: () => number;
  readonly stop: () => Promise<void>;
}

/** Where nothing is delivered there is nothing to show. */
const UNSHOWN = { canary: false, inARow: 1, settle: '0ms' } as const;

/**
 * Starts the implementation and waits until its canary shows the first revision. Somebody else may take a port between its choice and its
 * use: then it is started a second time, with others. Throws ImplementationFault.
 */
export async function startInstance(manifest: Manifest, role: Role = 'shared'): Promise<Instance> {
  try {
    return await startOnce(manifest, role);
  } catch (error) {
    if (!(error instanceof ImplementationFault && saysPortTaken(error.message))) throw error;
    return startOnce(manifest, role);
  }
}

/** How programs say it: Node, nginx, Python, Go, and our own check of a port that a manifest names. */
function saysPortTaken(text: string): boolean {
  return /EADDRINUSE|\b(address|port)\b.* in use/i.test(text);
}

async function startOnce(manifest: Manifest, role: Role): Promise<Instance> {
  const ready = { ...UNSHOWN, ...manifest.run.ready };
  const withinMs = parseDuration(ready.within) ?? 10_000;
  const canary = ready.canary ? createCanary(peerPlace(manifest).address, runIn(manifest)) : undefined;
  let session: Session | undefined;
  try {
    session = await startSession(manifest);
    requireStatus(manifest, session);
    // Not every step can be asked again, such as one that has moved a peer on: where a red decides, nothing may be on its way any more.
    const partsMs = role === 'alone' && reconciles(manifest) ? Math.min(PARTS_MS, withinMs / 2) : 0;
    const configuration = new Configuration({
      session,
      canary,
      attendant: manifest.attendant,
      withinMs,
      ...(reconciles(manifest) && { changeWithinMs: withinMs, arrivesInParts: true }),
      addressed: manifest.gateways === 'addressed',
      readiness: { inARow: ready.inARow, settleMs: Math.max(parseDuration(ready.settle) ?? 0, partsMs) },
    });
    await requireObserved(configuration, session);
    return { role, ...asInstance(manifest, session, configuration, canary) };
  } catch (error) {
    await Promise.all([session?.stop(), canary?.stop()]);
    throw error;
  }
}

/** Whether a control plane brings what an API server has to the proxies: each change takes the time that it takes. */
function reconciles({ run, gateways }: Manifest): boolean {
  return run.kind === 'kubernetes' || gateways === 'addressed';
}

function requireStatus({ gateways }: Manifest, { ops }: Session): void {
  if (gateways === 'addressed' && !ops.includes('status'))
    throw new ImplementationFault('gateways: addressed needs the operation status, of an API server or of the adapter');
}

function asInstance(
  manifest: Manifest,
  session: Session,
  configuration: Configuration,
  canary: Canary | undefined,
): Omit<Instance, 'role'> {
  let crashes = 0;
  let recovery: Promise<boolean> | undefined;
  return {
    manifest,
    session,
    configuration,
    crashes: () => crashes,
    recover: async () => {
      if (session.crashed() === undefined) return true;
      recovery ??= restart(session, configuration, ++crashes).finally(() => {
        recovery = undefined;
      });
      return recovery;
    },
    stop: async () => {
      await Promise.all([session.stop(), canary?.stop()]);
    },
  };
}

const RESTARTS = 1;

async function restart(session: Session, configuration: Configuration, crashes: number): Promise<boolean> {
  if (crashes > RESTARTS) return false;
  try {
    await session.restart();
    return (await configuration.redeliver()).outcome === 'accepted';
  } catch (error) {
    if (error instanceof ImplementationFault) return false;
    throw error;
  }
}

async function requireObserved(configuration: Configuration, session: Session): Promise<void> {
  const first = await configuration.redeliver();
  if (first.outcome === 'accepted') return;
  if (first.stuck)
    throw new ImplementationFault(`the API server did not take the first configuration: ${first.message}`);
  const logs = session.logs();
  const words = logs.length === 0 ? '; it has printed nothing' : lastWords(logs);
  const what = `the implementation does not show its first configuration: ${first.message ?? first.outcome}${session.crashed() === undefined ? words : ''}`;
  throw new ImplementationFault(logs.some(saysPortTaken) ? `a port it wants is already in use: ${what}` : what);
}
