import { CONTROL_PLANE_ADDRESS, LOG_LEVEL, MESH, PROXY_CONTAINER, SHUTDOWN } from '../defaults.ts';
import { byName, type TypedParameters } from '../merge-parameters.ts';
import { type JsonObject, jsonObjectOf } from '../../base/json.ts';
import { objectMeta, type Owner } from './object-meta.ts';
import { SESSION_KEY_ENTRY, sessionKeyName } from './session-key-secret.ts';

/** Environment of the proxy: what is generated, in this order, then what the parameters add (PARAM-017, PARAM-018). */
export function proxyEnv(owner: Owner, parameters: TypedParameters): readonly JsonObject[] {
  const { shutdown = SHUTDOWN, logging } = parameters;
  const generated: readonly EnvVar[] = [
    value('TERMINATION_GRACE_PERIOD_SECONDS', String(shutdown.max)),
    value('CONNECTION_MIN_TERMINATION_DEADLINE', `${shutdown.min}s`),
    field('NODE_NAME', 'spec.nodeName'),
    field('POD_NAMESPACE', 'metadata.namespace'),
    field('POD_NAME', 'metadata.name'),
    value('RUST_BACKTRACE', '1'),
    value('RUST_LOG', logging?.level ?? LOG_LEVEL),
    {
      name: 'SESSION_KEY',
      valueFrom: { secretKeyRef: { name: sessionKeyName(owner.gateway), key: SESSION_KEY_ENTRY } },
    },
    value('XDS_ADDRESS', CONTROL_PLANE_ADDRESS),
    field('NAMESPACE', 'metadata.namespace'),
    value('GATEWAY', objectMeta(owner).name),
    { name: 'CPU_LIMIT', valueFrom: { resourceFieldRef: { containerName: PROXY_CONTAINER, resource: 'limits.cpu' } } },
    field('INSTANCE_IP', 'status.podIP'),
    field('SERVICE_ACCOUNT', 'spec.serviceAccountName'),
    ...meshEnv(parameters),
  ];
  // References such as $(NAME) are for the orchestrator to expand, $$(NAME) too (PARAM-020, PARAM-021).
  const written = (parameters.env ?? []).map((entry) => ({ ...jsonObjectOf(entry), name: entry.name }));
  return byName<EnvVar>(generated, written);
}

/** PARAM-022: whoever brings a key needs none made for them. */
export function bringsSessionKey({ env = [] }: TypedParameters): boolean {
  return env.some(({ name }) => name === 'SESSION_KEY');
}

/** A block without `enabled` opts in: nobody writes mesh settings for a proxy that is not to use them (PARAM-050). */
export function isInMesh({ mesh }: TypedParameters): boolean {
  return mesh !== undefined && mesh.enabled !== false;
}

function meshEnv(parameters: TypedParameters): readonly EnvVar[] {
  const { mesh } = parameters;
  if (mesh === undefined || !isInMesh(parameters)) return [];
  const { caAddress, trustDomain, additionalTrustDomains = [], clusterId, network } = { ...MESH, ...mesh };
  return [
    value('CA_ADDRESS', caAddress),
    // PARAM-033: always, whatever further domains there are.
    value('TRUST_DOMAIN', trustDomain),
    ...(additionalTrustDomains.length > 0 ? [value('ADDITIONAL_TRUST_DOMAINS', additionalTrustDomains.join(','))] : []),
    value('CLUSTER_ID', clusterId),
    value('NETWORK', network),
  ];
}

interface EnvVar extends JsonObject {
  readonly name: string;
}

function value(name: string, text: string): EnvVar {
  return { name, value: text };
}

function field(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
