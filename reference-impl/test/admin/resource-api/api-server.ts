import { expect } from 'vitest';
import { followObjects } from '../../../admin/resource-api/known-objects.ts';
import { createResourceApi } from '../../../admin/resource-api/resource-api.ts';
import { createAdminServer, type AdminServer } from '../../../admin/server.ts';
import { admit } from '../../../admission/admit.ts';
import { buildView } from '../../../attachment/view.ts';
import { type Fields, isFields } from '../../../resources/groups.ts';
import type { Resource } from '../../../resources/kinds.ts';
import { createApiSource } from '../../../store/sources/api.ts';
import { createStore, type Store } from '../../../store/store.ts';
import { createWatchers } from '../../../trace/watchers.ts';
import { manualClock, type ManualClock } from '../../trace/manual-clock.ts';

export interface ApiServer {
  readonly admin: AdminServer;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly logged: readonly string[];
  /** Sets what a file of this name holds. */
  readonly file: (name: string, ...resources: readonly object[]) => void;
  /** What answers wait for before they are sent. */
  readonly hold: (until: () => Promise<void>) => void;
}

/** The resource API on an admin listener, over a store of its own; nothing listens for traffic. */
export function createApiServer(): ApiServer {
  const clock = manualClock();
  clock.advance(1_700_000_000_000);
  const store = createStore(clock);
  let view = buildView(store.snapshot());
  const listeners = new Set<() => void>();
  store.subscribe((snapshot) => {
    view = buildView(snapshot);
    for (const listener of listeners) listener();
  });
  const logged: string[] = [];
  const log = (message: string, fields: object = {}): void => {
    logged.push(`${message} ${JSON.stringify(fields)}`);
  };
  let live = atOnce;
  const objects = followObjects({
    view: () => view,
    snapshot: store.snapshot,
    onChange: (listener) => listeners.add(listener),
    clock,
  });
  const source = createApiSource(store);
  const resourceApi = createResourceApi({ objects, source, live: () => live(), clock }, log);
  const watchers = createWatchers({ clock, view: () => view });
  const admin = createAdminServer({ view: () => view, snapshot: store.snapshot, watchers, clock, log, resourceApi });
  return {
    admin,
    store,
    clock,
    logged,
    file: (name, ...resources) => {
      store.replace(new Map([[name, resources.map(admitted)]]));
    },
    hold: (until) => {
      live = until;
    },
  };
}

function atOnce(): Promise<void> {
  return Promise.resolve();
}

function admitted(value: object): Resource {
  const admission = admit(value);
  if (!admission.ok) throw new Error(JSON.stringify(admission.violations));
  return admission.resource;
}

/** Paths of the collections most tests use. */
export const BACKENDS = '/apis/proxy.example/v1alpha1/namespaces/default/proxybackends';
export const POLICIES = '/apis/proxy.example/v1alpha1/namespaces/default/proxypolicies';
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
export const SECRETS = '/api/v1/namespaces/default/secrets';
export const SERVICES = '/api/v1/namespaces/default/services';

export function backend(name: string, port = 8000): object {
  const spec = { static: { host: '127.0.0.1', port } };
  return { apiVersion: 'proxy.example/v1alpha1', kind: 'ProxyBackend', metadata: { name }, spec };
}

export function configMap(name: string, data: Record<string, string> = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export function namespace(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

export function gateway(name: string, inNamespace = 'default', port = 3000): object {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name, namespace: inNamespace },
    spec: { gatewayClassName: 'refproxy', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
  };
}

/** The document of an answer. */
export async function bodyOf(answer: PromiseLike<{ readonly text: string }>): Promise<Fields> {
  const { text } = await answer;
  const value: unknown = JSON.parse(text);
  if (!isFields(value)) throw new Error(`not an object: ${text}`);
  return value;
}

/** A value inside a document. */
export function at(document: unknown, ...steps: readonly string[]): unknown {
  let value = document;
  for (const step of steps) value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  return value;
}

/** An object inside a document. */
export function fieldsAt(document: unknown, ...steps: readonly string[]): Fields {
  const value = at(document, ...steps);
  if (!isFields(value)) throw new Error(`no object at ${steps.join('.')}`);
  return value;
}

/** A list inside a document. */
export function listAt(document: unknown, ...steps: readonly string[]): readonly unknown[] {
  const value = at(document, ...steps);
  if (!Array.isArray(value)) throw new Error(`no list at ${steps.join('.')}`);
  return value;
}

/** Any text that fits; its type says nothing, so that it can stand anywhere in an expectation. */
export function textLike(pattern: string | RegExp): unknown {
  return typeof pattern === 'string' ? expect.stringContaining(pattern) : expect.stringMatching(pattern);
}

/** Any list with these items, and any object with these members. */
export function listWith(...items: readonly unknown[]): unknown {
  return expect.arrayContaining([...items]);
}

export function objectWith(members: object): unknown {
  return expect.objectContaining(members);
}
