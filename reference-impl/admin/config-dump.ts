import { describeEffective, type EffectivePolicy } from '../attachment/policies/effective-policy.ts';
import type { BindView, ListenerView, MergedRule, WeightedBackend } from '../attachment/view.ts';
import { perObject } from '../base/per-object.ts';
import type { Envelope } from '../resources/envelope.ts';
import { withoutCredentials, withoutLiteralCredentials } from '../trace/credentials.ts';
import { endpointText } from '../upstream/endpoints.ts';
import { answerJson, type AdminRequest, type AdminServices } from './endpoint.ts';
import { isKnown } from './known.ts';
import { redact } from './redact.ts';

/**
 * The configuration in force: what listens where with which routes and merged policies, then every resource as it was
 * written. `{generation, binds: [{port, listeners: [{gateway: {namespace, name}, name, …}]}], resources: {<kind>: […]}}`.
 * Who has it already is told so. Beside merged policies stand the resources that each of their fields comes from, in `sources`.
 */
export function configDump(exchange: AdminRequest, { view, snapshot, instance }: AdminServices): void {
  const { generation, binds } = view();
  if (isKnown(exchange, `${instance}.${generation}`)) return;
  answerJson(exchange.response, {
    generation,
    binds: [...binds.values()].toSorted((left, right) => left.port - right.port).map(describeBind),
    resources: byKind([...snapshot().resources.values()]),
  });
}

function describeBind({ port, listeners }: BindView): object {
  return { port, listeners: listeners.map(describeListener) };
}

function describeListener({ frontend, preRouting, ...listener }: ListenerView): object {
  return {
    gateway: listener.gateway,
    listenerSet: listener.listenerSet ?? null,
    name: listener.name,
    hostname: listener.hostname ?? null,
    tls: listener.tls !== undefined,
    frontend: describePolicy(frontend),
    preRouting: describePolicy(preRouting),
    sources: { frontend: frontend.sources, preRouting: preRouting.sources },
    rules: listener.rules.map(describeRule),
  };
}

function describeRule({ key, route, postRouting, backends }: MergedRule): object {
  return {
    key,
    route: { ...route, rule: route.rule ?? null },
    postRouting: describePolicy(postRouting),
    sources: postRouting.sources,
    backends: backends.map(describeBackend),
  };
}

function describeBackend({ weight, ref, backend }: WeightedBackend): object {
  const named = { weight, ref: { ...ref, port: ref.port ?? null } };
  if ('unresolved' in backend) return { ...named, unresolved: backend.unresolved, message: backend.message };
  const { name, type, endpoints, policies } = backend;
  return {
    ...named,
    name,
    type,
    endpoints: endpoints.map(endpointText),
    policies: describePolicy(policies),
    sources: policies.sources,
  };
}

/** Thousands of rules may share one merged policy. */
const describePolicy = perObject((effective: EffectivePolicy): unknown =>
  withoutLiteralCredentials(withoutCredentials(describeEffective(effective))),
);

function byKind(resources: readonly Envelope[]): Record<string, unknown[]> {
  const groups: Record<string, unknown[]> = {};
  for (const resource of resources.toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))) {
    (groups[resource.kind] ??= []).push(redact(resource));
  }
  return groups;
}

function nameOf({ kind, metadata }: Envelope): string {
  return `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
}
