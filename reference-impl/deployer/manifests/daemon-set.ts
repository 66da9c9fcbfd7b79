import type { JsonObject } from '../../base/json.ts';
import type { Manifest } from '../manifest.ts';
import { objectMeta, type Owner, selectorLabels } from './object-meta.ts';

/** PARAM-004: one pod on every node, instead of a Deployment. */
export function daemonSet(owner: Owner, template: JsonObject): Manifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: objectMeta(owner),
    spec: { selector: { matchLabels: selectorLabels(owner.gateway) }, template },
  };
}
