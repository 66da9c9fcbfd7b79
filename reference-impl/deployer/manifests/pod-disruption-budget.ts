import type { Manifest } from '../manifest.ts';
import { objectMeta, type Owner, selectorLabels } from './object-meta.ts';

/** PARAM-041: how many pods may be away is for its overlay to say. */
export function podDisruptionBudget(owner: Owner): Manifest {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: objectMeta(owner),
    spec: { selector: { matchLabels: selectorLabels(owner.gateway) } },
  };
}
