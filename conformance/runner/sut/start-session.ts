import { startAdapterSession } from './adapters/adapter.ts';
import { startAdmissionSession } from './adapters/admission.ts';
import { startKubernetesSession } from './adapters/kubernetes.ts';
import { startProcessSession } from './adapters/process.ts';
import { startUrlSession } from './adapters/url.ts';
import type { Manifest } from './manifest.ts';
import type { Session } from './session.ts';

/** Starts or reaches the implementation a manifest describes. Throws ImplementationFault in clear words. */
export async function startSession(manifest: Manifest): Promise<Session> {
  const { run } = manifest;
  if (run.kind === 'process') return startProcessSession(manifest, run);
  if (run.kind === 'kubernetes') return startKubernetesSession(manifest, run);
  if (run.kind === 'admission') return startAdmissionSession(manifest, run);
  return run.kind === 'url' ? startUrlSession(manifest, run) : startAdapterSession(manifest, run);
}
