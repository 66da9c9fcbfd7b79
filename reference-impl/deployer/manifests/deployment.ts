import type { JsonObject } from '../../base/json.ts';
import type { Manifest } from '../manifest.ts';
import { objectMeta, type Owner, selectorLabels } from './object-meta.ts';

/** PARAM-003. Says nothing about replicas, so that an autoscaler or an overlay may. */
export function deployment(owner: Owner, template: JsonObject): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: objectMeta(owner),
    spec: { selector: { matchLabels: selectorLabels(owner.gateway) }, template },
  };
}
