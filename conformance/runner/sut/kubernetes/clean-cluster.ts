import { loadDialect } from '../dialect.ts';
import type { Manifest } from '../manifest.ts';
import { UsageFault } from '../session.ts';
import { clientOf, clusterPrefix, groupOf, runIn } from './cluster.ts';
import { findRuns, removeRun, type Leftovers } from './leftovers.ts';
import { showPresence } from './presence.ts';

/** A run that left something, and how many objects were removed; undefined where they stay. */
export interface Cleaned extends Leftovers {
  readonly removed?: number;
}

/**
 * Removes what runs have left that are provably over; with `only` what that run has left unless it is at work, and nothing else. Throws UsageFault
 * where no cluster is named.
 */
export async function cleanCluster(manifest: Manifest, only?: string): Promise<readonly Cleaned[]> {
  const own = runIn(manifest);
  if (own === undefined) throw new UsageFault(`${manifest.file}: the manifest names no API server that outlives a run`);
  const client = clientOf(manifest);
  const group = groupOf(loadDialect(manifest.dialect, manifest.folder));
  // Its lease also tells the time of the server.
  const { end } = await showPresence(client, clusterPrefix(manifest), own);
  try {
    const found = (await findRuns(client, own)).filter(({ run }) => only === undefined || run === only);
    const cleaned: Cleaned[] = [];
    for (const one of found) {
      const goes = one.state === 'over' || (only !== undefined && one.state === 'unknown');
      cleaned.push(goes ? { ...one, removed: await removeRun(client, one.run, group) } : one);
    }
    return cleaned;
  } finally {
    await end();
  }
}
