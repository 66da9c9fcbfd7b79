import { z } from 'zod';
import { envelope, PROXY_API_VERSION } from './envelope.ts';
import { jsonObject, stringMap } from './scalars.ts';

const seconds = z.number().int().min(0).max(31_536_000);

const envVar = z.looseObject({ name: z.string().min(1), value: z.string().exactOptional() });

const resourceRequirements = z.looseObject({
  requests: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
  limits: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
});

const mesh = z.strictObject({
  enabled: z.boolean().exactOptional(),
  caAddress: z.string().exactOptional(),
  trustDomain: z.string().exactOptional(),
  additionalTrustDomains: z.array(z.string()).exactOptional(),
  clusterId: z.string().exactOptional(),
  network: z.string().exactOptional(),
});

const catalogSource = z.strictObject({
  configMap: z.strictObject({ name: z.string().min(1), key: z.string().exactOptional() }).exactOptional(),
});

/** Applied to a generated resource by strategic merge. */
const overlay = z.strictObject({
  metadata: z
    .strictObject({ labels: stringMap.exactOptional(), annotations: stringMap.exactOptional() })
    .exactOptional(),
  spec: jsonObject.exactOptional(),
});

/** How the data plane workload is provisioned. */
export const proxyParameters = z.strictObject({
  ...envelope(PROXY_API_VERSION, 'ProxyParameters'),
  spec: z.strictObject({
    workload: z.strictObject({ kind: z.enum(['Deployment', 'DaemonSet']).exactOptional() }).exactOptional(),
    logging: z
      .strictObject({ level: z.string().exactOptional(), format: z.enum(['json', 'text']).exactOptional() })
      .exactOptional(),
    rawConfig: jsonObject.exactOptional(),
    image: z
      .strictObject({
        registry: z.string().exactOptional(),
        repository: z.string().exactOptional(),
        tag: z.string().exactOptional(),
        digest: z.string().exactOptional(),
        pullPolicy: z.enum(['Always', 'Never', 'IfNotPresent']).exactOptional(),
      })
      .exactOptional(),
    env: z.array(envVar).exactOptional(),
    resources: resourceRequirements.exactOptional(),
    shutdown: z.strictObject({ min: seconds, max: seconds }).exactOptional(),
    mesh: mesh.exactOptional(),
    modelCatalog: z.strictObject({ sources: z.array(catalogSource).exactOptional() }).exactOptional(),
    deployment: overlay.exactOptional(),
    daemonSet: overlay.exactOptional(),
    service: overlay.exactOptional(),
    serviceAccount: overlay.exactOptional(),
    podDisruptionBudget: overlay.exactOptional(),
    horizontalPodAutoscaler: overlay.exactOptional(),
  }),
  status: z.strictObject({}).exactOptional(),
});

export type ProxyParameters = z.infer<typeof proxyParameters>;
export type KubernetesResourceOverlay = z.infer<typeof overlay>;
