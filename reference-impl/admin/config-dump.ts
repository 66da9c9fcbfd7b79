import { describeEffective } from '../attachment/policies/effective-policy.ts';
import type { BindView, ListenerView, MergedRule } from '../attachment/view.ts';
import type { Envelope } from '../resources/envelope.ts';
import { withoutCredentials } from '../trace/credentials.ts';
import { answerJson, type AdminContext, type AdminRequest } from './endpoint.ts';
import { redact } from './redact.ts';

/**
 * The configuration in force: what listens where with which routes and merged policies, then every resource as it was
 * written. `{generation, binds: [{port, listeners: [{gateway: {namespace, name}, name, …}]}], resources: {<kind>: […]}}`.
 */
export function configDump({ response }: AdminRequest, { view, snapshot }: AdminContext): void {
  const { generation, binds } = view();
  answerJson(response, {
    generation,
    binds: [...binds.values()].toSorted((left, right) => left.port - right.port).map(describeBind),
    resources: byKind([...snapshot().resources.values()]),
  });
}

function describeBind({ port, listeners }: BindView): object {
  return { port, listeners: listeners.map(describeListener) };
}

function describeListener(listener: ListenerView): object {
  return {
    gateway: listener.gateway,
    listenerSet: listener.listenerSet ?? null,
    name: listener.name,
    hostname: listener.hostname ?? null,
    frontend: withoutCredentials(describeEffective(listener.frontend)),
    preRouting: withoutCredentials(describeEffective(listener.preRouting)),
    rules: listener.rules.map(describeRule),
  };
}

function describeRule({ key, postRouting, backends }: MergedRule): object {
  return {
    key,
    postRouting: withoutCredentials(describeEffective(postRouting)),
    backends: backends.map(({ weight, backend }) => ({
      weight,
      ...('unresolved' in backend ? { unresolved: backend.unresolved } : { name: backend.name }),
    })),
  };
}

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
