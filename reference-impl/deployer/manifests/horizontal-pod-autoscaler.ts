import type { Manifest } from '../manifest.ts';
import { objectMeta, type Owner } from './object-meta.ts';

/** PARAM-044: bounds and metrics are for its overlay to say. */
export function horizontalPodAutoscaler(owner: Owner): Manifest {
  const metadata = objectMeta(owner);
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name } },
  };
}
