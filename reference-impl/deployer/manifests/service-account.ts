import type { Manifest } from '../manifest.ts';
import { objectMeta, type Owner } from './object-meta.ts';

/** The identity of the pods. Tokens are mounted one by one, where they are needed. */
export function serviceAccount(owner: Owner): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: objectMeta(owner),
    automountServiceAccountToken: false,
  };
}
