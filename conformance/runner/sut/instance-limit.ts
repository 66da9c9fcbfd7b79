import type { Manifest } from './manifest.ts';

/** Beside the one that most cases share run two for cases during which nothing else may send: one by one these would last longer than the others. */
const USUAL = 3;

/**
 * How many of the implementation may run at the same time: `tune.instances` where the manifest says so. Otherwise one, unless the
 * runner starts a process or container whose every place (ports, files, log) is filled in anew for each start.
 */
export function instanceLimit(manifest: Manifest): number {
  const { tune, run } = manifest;
  if (manifest.dataPort !== undefined) return 1;
  if (tune.instances !== undefined) return tune.instances;
  if (run.kind !== 'process' && run.kind !== 'container') return 1;
  const { path, server, kubeconfig } = run.config;
  // Everything in which two of them could get in each other's way.
  const { data, admin, metrics } = manifest.endpoints ?? {};
  const places = [data, admin, metrics, run.log, path, server, kubeconfig];
  return places.every((place) => place === undefined || isOfOneStart(place)) ? USUAL : 1;
}

function isOfOneStart(place: string): boolean {
  return /\{\{\s*(dir|port\.\w+)\s*\}\}/.test(place);
}
