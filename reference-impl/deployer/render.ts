import type { Nulls } from '../resources/merging/strategic-merge.ts';
import type { ConfigMap } from '../resources/core/config-map.ts';
import type { Secret } from '../resources/core/secret.ts';
import type { Gateway } from '../resources/gateway-api/gateway.ts';
import type { Listener } from '../resources/gateway-api/listener.ts';
import type { ProxyParameters } from '../resources/proxy-parameters.ts';
import { namespaceOf } from '../resources/envelope.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Manifest } from './manifest.ts';
import { configMap } from './manifests/config-map.ts';
import { daemonSet } from './manifests/daemon-set.ts';
import { deployment } from './manifests/deployment.ts';
import { horizontalPodAutoscaler } from './manifests/horizontal-pod-autoscaler.ts';
import { catalogFiles } from './manifests/model-catalog.ts';
import { type Owner, sha256 } from './manifests/object-meta.ts';
import { podDisruptionBudget } from './manifests/pod-disruption-budget.ts';
import { podTemplate } from './manifests/pod-template.ts';
import { bringsSessionKey } from './manifests/proxy-env.ts';
import { serviceAccount } from './manifests/service-account.ts';
import { service, serviceNotes, serviceProblems } from './manifests/service.ts';
import { sessionKey, sessionKeySecret } from './manifests/session-key-secret.ts';
import { mergeParameters, type TypedParameters } from './merge-parameters.ts';
import { applyOverlays, type Layer, OVERLAY_OF, type OverlaidKind } from './overlay.ts';

/** A Gateway with everything that says how its proxy is provisioned. */
export interface RenderInput {
  readonly gateway: Gateway;
  /** Its own, and those that ListenerSets add to it with its leave. */
  readonly listeners: readonly Listener[];
  /** What the GatewayClass refers to. */
  readonly classParameters?: ProxyParameters;
  /** What the Gateway's own infrastructure settings refer to. */
  readonly gatewayParameters?: ProxyParameters;
  /** Those of the Gateway's namespace, where model catalogs are. */
  readonly configMaps: readonly ConfigMap[];
  /** The session key Secret as it is now; without one a key is drawn. */
  readonly sessionKeySecret?: Secret;
  /** Version of the controller, which is the default tag of the image. */
  readonly version: string;
  /** How the parameters were submitted decides what a null in an overlay means (OVERLAY-011). */
  readonly nulls: Nulls;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** The manifests in the order they are to be created, with notes on what was left out; or everything that is wrong. */
export type Rendered =
  | { readonly ok: true; readonly manifests: readonly Manifest[]; readonly notes: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * The workload of one Gateway (PARAM-001). Pure but for the random bytes: generates from the typed fields of both levels,
 * then applies the overlays of the class, then those of the Gateway.
 */
export function render(input: RenderInput): Rendered {
  const { classParameters, gatewayParameters, gateway, listeners, version, nulls } = input;
  const owner: Owner = { gateway, listeners, version };
  const parameters = mergeParameters(classParameters?.spec, gatewayParameters?.spec);
  const layers = [...layer('GatewayClass', classParameters), ...layer('Gateway', gatewayParameters)];
  const problems = [
    ...serviceProblems(owner),
    ...incompatibleOverlays(layers, parameters),
    ...missingCatalogs(parameters, input.configMaps, namespaceOf(gateway)),
  ];
  const generated = generate(owner, parameters, layers);
  const overlaid = generated.map((manifest) =>
    applyOverlays(manifest, layers, nulls, (message) => problems.push(message)),
  );
  if (problems.length > 0) return { ok: false, problems };
  const manifests = bringsSessionKey(parameters) ? overlaid : withSessionKey(overlaid, owner, input);
  return { ok: true, manifests, notes: serviceNotes(owner) };
}

function layer(level: 'GatewayClass' | 'Gateway', parameters: ProxyParameters | undefined): readonly Layer[] {
  if (parameters === undefined) return [];
  const { kind, metadata, spec } = parameters;
  return [{ name: `referenced ${level} ${kind} ${metadata.namespace ?? ''}/${metadata.name}`, spec }];
}

function generate(owner: Owner, parameters: TypedParameters, layers: readonly Layer[]): readonly Manifest[] {
  const config = configMap(owner, parameters);
  const template = podTemplate(owner, parameters, sha256(JSON.stringify(config['data'])));
  // PARAM-040, PARAM-043: any layer may ask for them, with an empty overlay too.
  const asked = (kind: OverlaidKind): boolean => layers.some(({ spec }) => spec[OVERLAY_OF[kind]] !== undefined);
  return [
    serviceAccount(owner),
    config,
    // A Service has to have a port.
    ...(owner.listeners.length === 0 ? [] : [service(owner)]),
    parameters.workload?.kind === 'DaemonSet' ? daemonSet(owner, template) : deployment(owner, template),
    ...(asked('PodDisruptionBudget') ? [podDisruptionBudget(owner)] : []),
    ...(asked('HorizontalPodAutoscaler') ? [horizontalPodAutoscaler(owner)] : []),
  ];
}

/** PARAM-045: what each kind of workload has no place for. */
const INCOMPATIBLE = {
  Deployment: ['daemonSet'],
  DaemonSet: ['deployment', 'horizontalPodAutoscaler'],
} as const;

function incompatibleOverlays(layers: readonly Layer[], { workload }: TypedParameters): readonly string[] {
  const kind = workload?.kind ?? 'Deployment';
  return layers.flatMap(({ name, spec }) =>
    INCOMPATIBLE[kind]
      .filter((field) => spec[field] !== undefined)
      .map((field) => `${name} has incompatible ${field} overlay for final workload kind ${kind}`),
  );
}

/** PARAM-036: only a ConfigMap of the Gateway's own namespace can be mounted. */
function missingCatalogs(
  { modelCatalog }: TypedParameters,
  configMaps: readonly ConfigMap[],
  namespace: string,
): readonly string[] {
  return catalogFiles(modelCatalog).flatMap(({ configMap: name, key }) => {
    const found = configMaps.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    if (found === undefined) return [`modelCatalog: there is no ConfigMap ${namespace}/${name}`];
    const keys = { ...found.data, ...found.binaryData };
    return Object.hasOwn(keys, key) ? [] : [`modelCatalog: ConfigMap ${namespace}/${name} has no key ${key}`];
  });
}

/** After the overlays, so that none can change the key or hide that it changed. */
function withSessionKey(manifests: readonly Manifest[], owner: Owner, input: RenderInput): readonly Manifest[] {
  const key = sessionKey(input.sessionKeySecret, input.randomBytes);
  const annotated = manifests.map((manifest) =>
    manifest.kind === 'Deployment' || manifest.kind === 'DaemonSet'
      ? withPodAnnotation(manifest, 'checksum/session-key', sha256(key))
      : manifest,
  );
  return [...annotated, sessionKeySecret(owner, key)];
}

function withPodAnnotation(workload: Manifest, name: string, text: string): Manifest {
  const [spec, template] = inner(workload, 'spec', 'template');
  const [metadata, annotations] = inner(template ?? {}, 'metadata', 'annotations');
  // An overlay may have replaced the whole specification; then there are no pods to annotate.
  if (spec === undefined || template === undefined) return workload;
  const annotated = { ...template, metadata: { ...metadata, annotations: { ...annotations, [name]: text } } };
  return { ...workload, spec: { ...spec, template: annotated } };
}

function inner(object: JsonObject, outerName: string, innerName: string): readonly [JsonObject?, JsonObject?] {
  const outer = object[outerName];
  if (!isJsonObject(outer)) return [];
  const within = outer[innerName];
  return isJsonObject(within) ? [outer, within] : [outer];
}
