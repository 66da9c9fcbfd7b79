import { startAdapterSession } from './adapters/adapter.ts';
import { startAdmissionSession } from './adapters/admission.ts';
import { startContainerSession } from './adapters/container.ts';
import { startKubernetesSession } from './adapters/kubernetes.ts';
import { startProcessSession } from './adapters/process.ts';
import { startUrlSession } from './adapters/url.ts';
import { loadDialect } from './dialect.ts';
import type { Manifest } from './manifest.ts';
import { peerPlace } from './peer-place.ts';
import { sharePlatform } from './platform.ts';
import type { Session } from './session.ts';
import { isStartedHere } from './start-parts.ts';

/** Starts or reaches the implementation a manifest describes. Throws ImplementationFault and UsageFault in clear words. */
export async function startSession(manifest: Manifest): Promise<Session> {
  // A mistake in it is told before anything has been started.
  loadDialect(manifest.dialect, manifest.folder);
  const { platform } = manifest.peers;
  if (platform === undefined || isStartedHere(manifest)) return start(manifest);
  const shared = await sharePlatform(peerPlace(manifest).address, platform);
  try {
    const session = await start(manifest);
    return { ...session, stop: lastly(session.stop, shared.stop) };
  } catch (error) {
    await shared.stop();
    throw error;
  }
}

/** Does both, the second one once however often it is called. */
function lastly(work: () => Promise<void>, end: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return async () => {
    try {
      await work();
    } finally {
      ended ??= end();
      await ended;
    }
  };
}

async function start(manifest: Manifest): Promise<Session> {
  const { run } = manifest;
  if (run.kind === 'process') return startProcessSession(manifest, run);
  if (run.kind === 'container') return startContainerSession(manifest, run);
  if (run.kind === 'kubernetes') return startKubernetesSession(manifest, run);
  if (run.kind === 'admission') return startAdmissionSession(manifest, run);
  return run.kind === 'url' ? startUrlSession(manifest, run) : startAdapterSession(manifest, run);
}
