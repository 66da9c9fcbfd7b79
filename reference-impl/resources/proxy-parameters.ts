import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from './envelope.ts';
import { isFields, rule } from './groups.ts';
import { described, noted } from './notes.ts';
import { jsonObject, stringMap } from './scalars.ts';

const text = z.string();

/** Seconds, up to a year (ADMIT-060). */
const seconds = noted(z.number().int().min(0).max(31_536_000), { clause: 'ADMIT-060' });

/** As the orchestrator defines it; members beyond these are kept. */
const envVar = described(
  z.looseObject({ name: z.string().min(1), value: z.string().exactOptional() }),
  { name: 'Name of the variable.', value: 'Its value.' },
  'A variable of the environment.',
);

const quantities = z.record(z.string(), z.union([z.string(), z.number()]));

/** Of the container, as the orchestrator defines it. */
const resourceRequirements = described(
  z.looseObject({
    requests: quantities.exactOptional(),
    limits: quantities.exactOptional(),
  }),
  { requests: 'Quantities reserved, by resource.', limits: 'Quantities allowed, by resource.' },
);

/** Overridable member by member; each but `digest` has a default of the deployer (PARAM-011). */
const image = described(
  z.strictObject({
    registry: text.exactOptional(),
    repository: text.exactOptional(),
    tag: text.exactOptional(),
    digest: text.exactOptional(),
    pullPolicy: noted(z.enum(['Always', 'Never', 'IfNotPresent']), {
      defaultText: 'as the orchestrator decides',
    }).exactOptional(),
  }),
  {
    registry: 'Host of the registry.',
    repository: 'Name of the repository.',
    tag: 'Tag of the image.',
    digest: 'Digest of the image; wins over the tag.',
    pullPolicy: 'When the image is fetched.',
  },
);

/** Mutual TLS with pods of a service mesh (PARAM-028 to PARAM-031). */
const mesh = described(
  z.strictObject({
    enabled: z.boolean().exactOptional(),
    caAddress: noted(text, { defaultText: 'the mesh CA of the cluster' }).exactOptional(),
    trustDomain: noted(text, { defaultText: 'cluster.local, or that of the control plane revision' }).exactOptional(),
    additionalTrustDomains: z.array(text).exactOptional(),
    clusterId: noted(text, { default: 'Kubernetes' }).exactOptional(),
    network: noted(text, { default: '' }).exactOptional(),
  }),
  {
    enabled: 'Whether the proxy is a member of the mesh.',
    caAddress: 'Address of the mesh CA.',
    trustDomain: 'Trust domain of the mesh.',
    additionalTrustDomains: 'Trust domains taken as well.',
    clusterId: 'Id of the cluster.',
    network: 'Network of the workload.',
  },
);

/** A ConfigMap of the namespace of the Gateway (ADMIT-061, PARAM-035). */
const catalogSource = described(
  z.strictObject({
    configMap: noted(
      described(
        z.strictObject({
          name: noted(z.string().min(1), { clause: 'ADMIT-061' }),
          key: noted(text, { default: 'catalog.json' }).exactOptional(),
        }),
        { name: 'Name of the ConfigMap.', key: 'Key in the ConfigMap.' },
      ),
      { requires: 'ADMIT-061' },
    ).exactOptional(),
  }),
  { configMap: 'A ConfigMap of the namespace of the Gateway.' },
  'One source of the catalog.',
);

/** Applied to a generated resource by strategic merge. */
const overlay = described(
  z.strictObject({
    metadata: described(z.strictObject({ labels: stringMap.exactOptional(), annotations: stringMap.exactOptional() }), {
      labels: 'Labels to merge.',
      annotations: 'Annotations to merge.',
    }).exactOptional(),
    spec: jsonObject.exactOptional(),
  }),
  {
    metadata: 'Labels and annotations to merge.',
    spec: 'Part of the spec to merge; $patch: delete, $patch: replace and null count.',
  },
);

/** Both required together (ADMIT-059); in seconds. */
const shutdown = rule(
  noted(
    described(z.strictObject({ min: seconds, max: seconds }), {
      min: 'Shortest wait before connections end, in seconds, 0 to 31536000.',
      max: 'Longest wait before connections end, in seconds, 0 to 31536000.',
    }),
    { requires: 'ADMIT-059' },
  ),
  '',
  ({ min, max }) => typeof min !== 'number' || typeof max !== 'number' || min <= max,
  'min must not be greater than max',
  'self.min <= self.max',
);

const members = described(
  z.strictObject({
    workload: described(
      z.strictObject({
        kind: noted(z.enum(['Deployment', 'DaemonSet']), {
          default: 'Deployment',
          clause: 'ADMIT-057',
        }).exactOptional(),
      }),
      { kind: 'Kind of the workload.' },
    ).exactOptional(),
    logging: described(
      z.strictObject({
        /** A filter: a level, or levels by module, separated by commas. */
        level: noted(text, { default: 'info' }).exactOptional(),
        format: noted(z.enum(['json', 'text']), { default: 'text', clause: 'ADMIT-058' }).exactOptional(),
      }),
      { level: 'A level, or levels by module, separated by commas.', format: 'Form of the lines.' },
    ).exactOptional(),
    rawConfig: noted(jsonObject, {
      text: 'Merged into the generated configuration file; typed fields win.',
    }).exactOptional(),
    image: image.exactOptional(),
    env: z.array(envVar).exactOptional(),
    resources: resourceRequirements.exactOptional(),
    shutdown: shutdown.exactOptional(),
    mesh: mesh.exactOptional(),
    modelCatalog: described(z.strictObject({ sources: z.array(catalogSource).exactOptional() }), {
      sources: 'ConfigMaps with descriptions of models, merged in order.',
    }).exactOptional(),
    deployment: overlay.exactOptional(),
    daemonSet: overlay.exactOptional(),
    service: overlay.exactOptional(),
    serviceAccount: overlay.exactOptional(),
    podDisruptionBudget: noted(overlay, { text: 'Creates a PodDisruptionBudget when set.' }).exactOptional(),
    horizontalPodAutoscaler: noted(overlay, {
      text: 'Creates a HorizontalPodAutoscaler when set; for a Deployment only.',
    }).exactOptional(),
  }),
  {
    workload: 'What kind of workload it is.',
    logging: 'What the proxy logs.',
    image: 'Container image, member by member.',
    env: 'Variables of the container; they win over generated ones.',
    resources: 'Resources of the container.',
    shutdown: 'How long open connections may take to end; both members together.',
    mesh: 'Mutual TLS with pods of a service mesh.',
    modelCatalog: 'Where descriptions of models come from.',
    deployment: 'Merged into the Deployment.',
    daemonSet: 'Merged into the DaemonSet.',
    service: 'Merged into the Service.',
    serviceAccount: 'Merged into the ServiceAccount.',
  },
  'How the workload is provisioned; every member is optional.',
);

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
  described(
    z.strictObject({
      ...envelope(PROXY_API_VERSION, 'ProxyParameters'),
      spec,
      status: z.strictObject({}).exactOptional(),
    }),
    { spec: 'How the workload is provisioned.', status: 'What the controller observed; written by it alone.' },
  ),
  { text: 'How the workload of the data plane is provisioned.', requires: 'ADMIT-056' },
);

function workloadOf(workload: unknown): unknown {
  return (isFields(workload) ? workload['kind'] : undefined) ?? 'Deployment';
}

export type ProxyParameters = z.infer<typeof proxyParameters>;
export type KubernetesResourceOverlay = z.infer<typeof overlay>;
