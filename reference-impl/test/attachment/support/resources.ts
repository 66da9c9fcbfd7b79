import { isOfKind, KINDS, type KindName, keyOf, type Resource, type ResourceOf } from '../../../resources/kinds.ts';
import { type Snapshot, snapshotOf } from '../../../store/snapshot.ts';
import type { RouteRequest } from '../../../attachment/view.ts';

/** A snapshot of exactly these resources. */
export function snapshotWith(...resources: readonly Resource[]): Snapshot {
  return snapshotOf(1, new Map(resources.map((each) => [keyOf(each), each])));
}

interface Meta {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: string;
}

/** A resource that has passed the schema of its kind; `name` may be `namespace/name` (default namespace `ns`). */
export function resource<Kind extends KindName>(
  kind: Kind,
  name: string,
  body: Readonly<Record<string, unknown>>,
  meta: Meta = {},
): ResourceOf<Kind> {
  const [namespace, bare] = name.includes('/') ? name.split('/') : ['ns', name];
  const metadata = {
    name: bare,
    ...(KINDS[kind].namespaced && { namespace }),
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...meta,
  };
  const parsed = KINDS[kind].schema.parse({ apiVersion: KINDS[kind].apiVersion, kind, metadata, ...body });
  if (!isOfKind(parsed, kind)) throw new Error(`not a ${kind}`);
  return parsed;
}

export function gateway(name: string, listeners: readonly object[] = [{}], more: object = {}): ResourceOf<'Gateway'> {
  const complete = listeners.map((listener) => ({ name: 'http', port: 3000, protocol: 'HTTP', ...listener }));
  return resource('Gateway', name, { spec: { gatewayClassName: 'proxy', listeners: complete, ...more } });
}

export function route(name: string, spec: object = {}, meta: Meta = {}): ResourceOf<'HTTPRoute'> {
  const rules = [{ name: 'rule', backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'b' }] }];
  return resource('HTTPRoute', name, { spec: { parentRefs: [{ name: 'gw' }], rules, ...spec } }, meta);
}

export function backend(name: string, more: object = {}): ResourceOf<'ProxyBackend'> {
  return resource('ProxyBackend', name, { spec: { static: { host: '127.0.0.1', port: 8000 }, ...more } });
}

const GROUPS: Readonly<Record<string, string>> = {
  ProxyBackend: 'proxy.example',
  Service: '',
  InferencePool: 'inference.networking.k8s.io',
};

/** A policy for one target, written `Kind/name` or `Kind/name#section` or `Kind/name:port`. */
export function policy(name: string, target: string, spec: object, meta: Meta = {}): ResourceOf<'ProxyPolicy'> {
  const [, kind = '', targetName, sectionName, port] = /^(\w+)\/([^#:]+)(?:#(.+))?(?::(\d+))?$/.exec(target) ?? [];
  const targetRef = {
    group: GROUPS[kind] ?? 'gateway.networking.k8s.io',
    kind,
    name: targetName,
    ...(sectionName !== undefined && { sectionName }),
    ...(port !== undefined && { port: Number(port) }),
  };
  return resource('ProxyPolicy', name, { spec: { targetRefs: [targetRef], ...spec } }, meta);
}

export function request(host: string, path: string, more: Partial<RouteRequest> = {}): RouteRequest {
  return { host, path, method: 'GET', query: '', header: () => undefined, ...more };
}
