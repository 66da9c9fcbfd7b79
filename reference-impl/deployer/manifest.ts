import type { JsonObject } from '../base/json.ts';

/** One generated object, as it is written to the orchestrator. */
export interface Manifest extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ManifestMeta;
}

export interface ManifestMeta extends JsonObject {
  readonly name: string;
  readonly namespace: string;
  readonly labels: JsonObject;
}
