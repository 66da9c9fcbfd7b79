import { startAdapterSession } from './adapters/adapter.ts';
import { startAdmissionSession } from './adapters/admission.ts';
import { startContainerSession } from './adapters/container.ts';
import { startKubernetesSession } from './adapters/kubernetes.ts';
import { startProcessSession } from './adapters/process.ts';
import { startUrlSession } from './adapters/url.ts';
import { loadDialect } from './dialect.ts';
import type { Manifest } from './manifest.ts';
import type { Session } from './session.ts';

/** Starts or reaches the implementation a manifest describes. Throws ImplementationFault and UsageFault in clear words. */
export async function startSession(manifest: Manifest): Promise<Session> {
  const { run } = manifest;
  // A mistake in it is told before anything has been started.
  loadDialect(manifest.dialect, manifest.folder);
  if (run.kind === 'process') return startProcessSession(manifest, run);
  if (run.kind === 'container') return startContainerSession(manifest, run);
  if (run.kind === 'kubernetes') return startKubernetesSession(manifest, run);
  if (run.kind === 'admission') return startAdmissionSession(manifest, run);
  return run.kind === 'url' ? startUrlSession(manifest, run) : startAdapterSession(manifest, run);
}
