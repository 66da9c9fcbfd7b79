import type { ProxyParameters } from '../resources/proxy-parameters.ts';

type Spec = ProxyParameters['spec'];
type TypedField =
  | 'workload'
  | 'logging'
  | 'image'
  | 'mesh'
  | 'env'
  | 'resources'
  | 'shutdown'
  | 'rawConfig'
  | 'modelCatalog';

/** The typed fields of both levels as one; overlays are no part of it. */
export type TypedParameters = { readonly [Field in TypedField]: Spec[Field] | undefined };

/**
 * OVERLAY-001, OVERLAY-015: what the Gateway says lies over what its class says. How deep one field merges is open; the
 * rows are the answer of docs/decisions/parameters-merge.md.
 */
export function mergeParameters(ofClass: Spec = {}, ofGateway: Spec = {}): TypedParameters {
  return {
    workload: memberByMember(ofClass.workload, ofGateway.workload),
    logging: memberByMember(ofClass.logging, ofGateway.logging),
    image: memberByMember(ofClass.image, ofGateway.image),
    mesh: memberByMember(ofClass.mesh, ofGateway.mesh),
    env: byName(ofClass.env, ofGateway.env),
    resources: mapByMap(ofClass.resources, ofGateway.resources),
    shutdown: ofGateway.shutdown ?? ofClass.shutdown,
    rawConfig: ofGateway.rawConfig ?? ofClass.rawConfig,
    // PARAM-037, PARAM-038: a catalog belongs to one Gateway; what the class says about it has no effect.
    modelCatalog: ofGateway.modelCatalog,
  };
}

/** Entries by name: one that exists is replaced where it stands, others are added at the end (PARAM-018). */
export function byName<Entry extends { readonly name: string }>(
  below: readonly Entry[] = [],
  above: readonly Entry[] = [],
): Entry[] {
  const entries = new Map<string, Entry>();
  for (const entry of [...below, ...above]) entries.set(entry.name, entry);
  return [...entries.values()];
}

function memberByMember<Value extends object>(below: Value | undefined, above: Value | undefined): Value | undefined {
  return below === undefined || above === undefined ? (above ?? below) : { ...below, ...above };
}

function mapByMap(below: Spec['resources'], above: Spec['resources']): Spec['resources'] {
  if (below === undefined || above === undefined) return above ?? below;
  return {
    ...below,
    ...above,
    ...(below.requests !== undefined && { requests: { ...below.requests, ...above.requests } }),
    ...(below.limits !== undefined && { limits: { ...below.limits, ...above.limits } }),
  };
}
