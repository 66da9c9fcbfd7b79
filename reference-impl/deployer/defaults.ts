import type { JsonObject } from '../base/json.ts';

/*
 * What a workload is when nobody said anything. The documents promise defaults without naming most of them (PARAM-048);
 * docs/decisions/generated-manifests.md lists the values chosen here.
 */

/** Name of the proxy's container; overlays patch it by this name (OVERLAY-005). */
export const PROXY_CONTAINER = 'proxy';

/** The tag is the version of the controller. */
export const IMAGE = { registry: 'registry.example', repository: 'proxy-example/proxy' } as const;

/** PARAM-005, in the syntax of environment filters. */
export const LOG_LEVEL = 'info';

/** Seconds. */
export const SHUTDOWN = { min: 10, max: 60 } as const;

export const RESOURCES = { requests: { cpu: '100m', memory: '128Mi' } } as const;

/** PARAM-028, PARAM-029, PARAM-030, PARAM-031. */
export const MESH = {
  caAddress: 'https://istiod.istio-system.svc:15012',
  trustDomain: 'cluster.local',
  clusterId: 'Kubernetes',
  network: '',
} as const;

/** PARAM-035. */
export const CATALOG_KEY = 'catalog.json';

export const CONTROLLER = 'proxy-controller';
export const CONTROL_PLANE_ADDRESS = 'https://proxy-controller.proxy-system.svc.cluster.local:9978';

/** Who a token for the control plane is for, and how many seconds it lives. */
export const CONTROL_PLANE_TOKEN = { audience: 'proxy.example', expirationSeconds: 43_200 } as const;

export const PORTS = { metrics: 15_020, readiness: 15_021 } as const;

/** Ports the proxy keeps for itself: admin, metrics and readiness. */
export const RESERVED_PORTS: ReadonlySet<number> = new Set([15_000, PORTS.metrics, PORTS.readiness]);

const READY = { httpGet: { path: '/healthz/ready', port: PORTS.readiness } } as const;

export const PROBES = {
  readinessProbe: { ...READY, periodSeconds: 10 },
  startupProbe: { ...READY, periodSeconds: 1, timeoutSeconds: 2, successThreshold: 1, failureThreshold: 60 },
} as const satisfies JsonObject;

export const POD_SECURITY = {
  sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }],
} as const satisfies JsonObject;

export const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: 10_101,
} as const satisfies JsonObject;
