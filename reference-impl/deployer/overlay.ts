import type { KubernetesResourceOverlay, ProxyParameters } from '../resources/proxy-parameters.ts';
import { isJsonObject, type JsonObject, jsonObjectOf } from '../base/json.ts';
import type { Manifest } from './manifest.ts';
import { MERGE_KEYS } from '../resources/merging/merge-keys.ts';
import { type Merging, type Nulls, strategicMerge } from '../resources/merging/strategic-merge.ts';

/** PARAM-039: which overlay is for which generated kind. */
export const OVERLAY_OF = {
  ServiceAccount: 'serviceAccount',
  Service: 'service',
  Deployment: 'deployment',
  DaemonSet: 'daemonSet',
  PodDisruptionBudget: 'podDisruptionBudget',
  HorizontalPodAutoscaler: 'horizontalPodAutoscaler',
} as const satisfies Readonly<Record<string, keyof ProxyParameters['spec']>>;

export type OverlaidKind = keyof typeof OVERLAY_OF;

/** What one level of parameters says, and how messages call it. */
export interface Layer {
  readonly name: string;
  readonly spec: ProxyParameters['spec'];
}

/** OVERLAY-002, OVERLAY-003: the overlays of every layer in order, so that the last one wins. */
export function applyOverlays(
  manifest: Manifest,
  layers: readonly Layer[],
  nulls: Nulls,
  problem: (message: string) => void,
): Manifest {
  const field = isOverlaid(manifest.kind) ? OVERLAY_OF[manifest.kind] : undefined;
  if (field === undefined) return manifest;
  return layers.reduce((below, { name, spec }) => {
    const overlay = spec[field];
    const tell = (path: string, message: string): void => problem(`${name}: ${field}.${path}: ${message}`);
    return overlay === undefined ? below : withOverlay(below, overlay, { nulls, problem: tell });
  }, manifest);
}

/** Identity cannot be changed: an overlay has no other metadata, and apiVersion and kind are put back. */
function withOverlay(
  manifest: Manifest,
  { metadata = {}, spec }: KubernetesResourceOverlay,
  said: Pick<Merging, 'nulls' | 'problem'>,
): Manifest {
  const named = {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      labels: { ...manifest.metadata.labels, ...metadata.labels },
      ...(metadata.annotations !== undefined && {
        annotations: { ...annotationsOf(manifest), ...metadata.annotations },
      }),
    },
  };
  if (spec === undefined) return named;
  const { apiVersion, kind, metadata: meta } = named;
  const patch = patchOf(kind, jsonObjectOf(spec));
  const merged = strategicMerge(named, patch, MERGE_KEYS[kind] ?? {}, { ...said, dialect: 'overlay' });
  return { ...merged, apiVersion, kind, metadata: meta };
}

/** A ServiceAccount has no `spec`: its settings stand beside the metadata. */
function patchOf(kind: string, spec: JsonObject): JsonObject {
  return kind === 'ServiceAccount' ? spec : { spec };
}

function annotationsOf({ metadata }: Manifest): JsonObject {
  return isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
}

function isOverlaid(kind: string): kind is OverlaidKind {
  return Object.hasOwn(OVERLAY_OF, kind);
}
