import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from './envelope.ts';
import { isFields, rule } from './groups.ts';
import { noted } from './notes.ts';
import { jsonObject, stringMap } from './scalars.ts';

const text = z.string();

/** Seconds, up to a year (ADMIT-060). */
const seconds = noted(z.number().int().min(0).max(31_536_000), { clause: 'ADMIT-060' });

/** As the orchestrator defines it; members beyond these are kept. */
const envVar = z.looseObject({ name: z.string().min(1), value: z.string().exactOptional() });

const quantities = z.record(z.string(), z.union([z.string(), z.number()]));

/** Of the container, as the orchestrator defines it. */
const resourceRequirements = z.looseObject({
  requests: quantities.exactOptional(),
  limits: quantities.exactOptional(),
});

/** Overridable member by member; each but `digest` has a default of the deployer (PARAM-011). */
const image = z.strictObject({
  registry: text.exactOptional(),
  repository: text.exactOptional(),
  tag: text.exactOptional(),
  digest: text.exactOptional(),
  pullPolicy: noted(z.enum(['Always', 'Never', 'IfNotPresent']), {
    defaultText: 'as the orchestrator decides',
  }).exactOptional(),
});

/** Mutual TLS with pods of a service mesh (PARAM-028 to PARAM-031). */
const mesh = z.strictObject({
  enabled: z.boolean().exactOptional(),
  caAddress: noted(text, { defaultText: 'the mesh CA of the cluster' }).exactOptional(),
  trustDomain: noted(text, { defaultText: 'cluster.local, or that of the control plane revision' }).exactOptional(),
  additionalTrustDomains: z.array(text).exactOptional(),
  clusterId: noted(text, { default: 'Kubernetes' }).exactOptional(),
  network: noted(text, { default: '' }).exactOptional(),
});

/** A ConfigMap of the namespace of the Gateway (ADMIT-061, PARAM-035). */
const catalogSource = z.strictObject({
  configMap: noted(
    z.strictObject({
      name: noted(z.string().min(1), { clause: 'ADMIT-061' }),
      key: noted(text, { default: 'catalog.json' }).exactOptional(),
    }),
    { requires: 'ADMIT-061' },
  ).exactOptional(),
});

/** Applied to a generated resource by strategic merge. */
const overlay = z.strictObject({
  metadata: z
    .strictObject({ labels: stringMap.exactOptional(), annotations: stringMap.exactOptional() })
    .exactOptional(),
  spec: jsonObject.exactOptional(),
});

/** Both required together (ADMIT-059); in seconds. */
const shutdown = rule(
  noted(z.strictObject({ min: seconds, max: seconds }), { requires: 'ADMIT-059' }),
  '',
  ({ min, max }) => typeof min !== 'number' || typeof max !== 'number' || min <= max,
  'min must not be greater than max',
  'self.min <= self.max',
);

const members = z.strictObject({
  workload: z
    .strictObject({
      kind: noted(z.enum(['Deployment', 'DaemonSet']), { default: 'Deployment', clause: 'ADMIT-057' }).exactOptional(),
    })
    .exactOptional(),
  logging: z
    .strictObject({
      /** A filter: a level, or levels by module, separated by commas. */
      level: noted(text, { default: 'info' }).exactOptional(),
      format: noted(z.enum(['json', 'text']), { default: 'text', clause: 'ADMIT-058' }).exactOptional(),
    })
    .exactOptional(),
  rawConfig: noted(jsonObject, {
    text: 'Merged into the generated configuration file; typed fields win.',
  }).exactOptional(),
  image: image.exactOptional(),
  env: z.array(envVar).exactOptional(),
  resources: resourceRequirements.exactOptional(),
  shutdown: shutdown.exactOptional(),
  mesh: mesh.exactOptional(),
  modelCatalog: z.strictObject({ sources: z.array(catalogSource).exactOptional() }).exactOptional(),
  deployment: overlay.exactOptional(),
  daemonSet: overlay.exactOptional(),
  service: overlay.exactOptional(),
  serviceAccount: overlay.exactOptional(),
  podDisruptionBudget: noted(overlay, { text: 'Creates a PodDisruptionBudget when set.' }).exactOptional(),
  horizontalPodAutoscaler: noted(overlay, {
    text: 'Creates a HorizontalPodAutoscaler when set; for a Deployment only.',
  }).exactOptional(),
});

/** Overlay, the workload it is for, and what to say otherwise. Choices 7.3. */
const OVERLAYS: readonly (readonly [overlay: string, workload: 'Deployment' | 'DaemonSet', message: string])[] = [
  ['deployment', 'Deployment', 'a deployment overlay has no workload when workload.kind is DaemonSet'],
  ['daemonSet', 'DaemonSet', 'a daemonSet overlay needs workload.kind DaemonSet'],
  ['horizontalPodAutoscaler', 'Deployment', 'an autoscaler needs workload.kind Deployment'],
];

const spec = OVERLAYS.reduce(
  (schema, [name, workload, message]) =>
    rule(
      schema,
      '',
      (parameters) => parameters[name] === undefined || workloadOf(parameters['workload']) === workload,
      message,
      workload === 'DaemonSet'
        ? `!has(self.${name}) || (has(self.workload) && has(self.workload.kind) && self.workload.kind == 'DaemonSet')`
        : `!has(self.${name}) || !has(self.workload) || !has(self.workload.kind) || self.workload.kind == 'Deployment'`,
    ),
  members,
);

/** How the workload of the data plane is provisioned (ADMIT-056). */
export const proxyParameters = noted(
  z.strictObject({
    ...envelope(PROXY_API_VERSION, 'ProxyParameters'),
    spec,
    status: z.strictObject({}).exactOptional(),
  }),
  { text: 'How the workload of the data plane is provisioned.', requires: 'ADMIT-056' },
);

function workloadOf(workload: unknown): unknown {
  return (isFields(workload) ? workload['kind'] : undefined) ?? 'Deployment';
}

export type ProxyParameters = z.infer<typeof proxyParameters>;
export type KubernetesResourceOverlay = z.infer<typeof overlay>;
