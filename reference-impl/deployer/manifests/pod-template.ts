import {
  CONTAINER_SECURITY,
  CONTROL_PLANE_TOKEN,
  IMAGE,
  POD_SECURITY,
  PORTS,
  PROBES,
  PROXY_CONTAINER,
  RESOURCES,
  SHUTDOWN,
} from '../defaults.ts';
import type { TypedParameters } from '../merge-parameters.ts';
import { type JsonObject, jsonOf } from '../../base/json.ts';
import { CONFIG_FILE } from './config-map.ts';
import { catalogMounts, catalogVolumes } from './model-catalog.ts';
import { objectMeta, type Owner, podLabels } from './object-meta.ts';
import { isInMesh, proxyEnv } from './proxy-env.ts';

/** The pods of the workload; `configChecksum` makes them start again when their configuration file changes. */
export function podTemplate(owner: Owner, parameters: TypedParameters, configChecksum: string): JsonObject {
  const { name } = objectMeta(owner);
  const inMesh = isInMesh(parameters);
  return {
    metadata: {
      labels: { ...podLabels(owner), ...(inMesh && MESH_LABELS) },
      annotations: {
        // As its labels do; what follows is needed. docs/decisions/generated-manifests.md
        ...owner.gateway.spec.infrastructure?.annotations,
        'checksum/config': configChecksum,
        'prometheus.io/path': '/metrics',
        'prometheus.io/port': String(PORTS.metrics),
        'prometheus.io/scrape': 'true',
      },
    },
    spec: {
      serviceAccountName: name,
      securityContext: POD_SECURITY,
      terminationGracePeriodSeconds: (parameters.shutdown ?? SHUTDOWN).max,
      containers: [container(owner, parameters)],
      volumes: [
        { name: 'config-volume', configMap: { name } },
        tokenVolume('xds-token', CONTROL_PLANE_TOKEN),
        { name: 'tmp', emptyDir: {} },
        ...catalogVolumes(parameters.modelCatalog),
        ...(inMesh ? MESH_VOLUMES : []),
      ],
    },
  };
}

function container(owner: Owner, parameters: TypedParameters): JsonObject {
  const { image, resources = RESOURCES, modelCatalog } = parameters;
  return {
    name: PROXY_CONTAINER,
    image: imageReference(owner, image),
    // PARAM-016: what is not set is the orchestrator's to decide.
    ...(image?.pullPolicy !== undefined && { imagePullPolicy: image.pullPolicy }),
    args: ['-f', `${CONFIG_FOLDER}/${CONFIG_FILE}`],
    ports: [{ name: 'metrics', containerPort: PORTS.metrics, protocol: 'TCP' }],
    env: proxyEnv(owner, parameters),
    ...PROBES,
    resources: jsonOf(resources),
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'config-volume', mountPath: CONFIG_FOLDER, readOnly: true },
      { name: 'xds-token', mountPath: '/var/run/secrets/xds-tokens', readOnly: true },
      { name: 'tmp', mountPath: '/tmp' },
      ...catalogMounts(modelCatalog),
      ...(isInMesh(parameters) ? MESH_MOUNTS : []),
    ],
  };
}

const CONFIG_FOLDER = '/config';

/** PARAM-011, PARAM-012, PARAM-013: `registry/repository:tag@digest`, each part with a default of its own but the digest. */
function imageReference({ version }: Owner, image: TypedParameters['image']): string {
  const { registry, repository, tag, digest = '' } = { ...IMAGE, tag: version, ...image };
  const path = registry === '' ? repository : `${registry}/${repository}`;
  return `${path}${tag === '' ? '' : `:${tag}`}${digest === '' ? '' : `@${digest}`}`;
}

const MESH_LABELS = { 'istio.io/dataplane-mode': 'none', 'sidecar.istio.io/inject': 'false' } as const;

const MESH_VOLUMES: readonly JsonObject[] = [
  { name: 'istiod-ca-cert', configMap: { name: 'istio-ca-root-cert' } },
  tokenVolume('istio-token', { audience: 'istio-ca', expirationSeconds: 43_200 }),
];

const MESH_MOUNTS: readonly JsonObject[] = [
  { name: 'istiod-ca-cert', mountPath: '/var/run/secrets/istio', readOnly: true },
  { name: 'istio-token', mountPath: '/var/run/secrets/tokens', readOnly: true },
];

function tokenVolume(
  name: string,
  token: { readonly audience: string; readonly expirationSeconds: number },
): JsonObject {
  return { name, projected: { sources: [{ serviceAccountToken: { ...token, path: name } }] } };
}
