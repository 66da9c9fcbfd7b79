/** What `/config_dump` gives, as far as the page reads it. */
export interface Dump {
  readonly generation: number;
  readonly binds: readonly { readonly port: number; readonly listeners: readonly DumpListener[] }[];
  readonly resources: Readonly<Record<string, readonly DumpResource[]>>;
}

/** Fields of a merged policy, and beside it who said them. */
export type Policy = Readonly<Record<string, unknown>>;
export type Sources = Readonly<Record<string, unknown>>;

export interface DumpListener {
  readonly gateway: { readonly namespace: string; readonly name: string };
  readonly listenerSet: { readonly namespace: string; readonly name: string } | null;
  readonly name: string;
  readonly hostname: string | null;
  readonly tls: boolean;
  readonly frontend: Policy;
  readonly preRouting: Policy;
  readonly sources: { readonly frontend: Sources; readonly preRouting: Sources };
  readonly rules: readonly DumpRule[];
}

export interface DumpRule {
  readonly key: string;
  readonly route: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly rule: string | null;
  };
  readonly postRouting: Policy;
  readonly sources: Sources;
  readonly backends: readonly DumpBackend[];
}

export interface DumpBackend {
  readonly weight: number;
  readonly ref: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly port: number | null;
  };
  /** Both are there when the backend cannot be used. */
  readonly unresolved?: string;
  readonly message?: string;
  readonly type?: string;
  readonly endpoints?: readonly string[];
  readonly policies?: Policy;
  readonly sources?: Sources;
}

export interface DumpResource {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A listener and the port it is on. */
export interface Place {
  readonly port: number;
  readonly listener: DumpListener;
}

/** Every listener, by port. */
export function listenersOf({ binds }: Dump): readonly Place[] {
  return binds.flatMap(({ port, listeners }) => listeners.map((listener) => ({ port, listener })));
}

/** `namespace/gateway · listener` */
export function listenerText({ gateway, listenerSet, name }: DumpListener): string {
  const set = listenerSet === null ? '' : ` · ListenerSet ${listenerSet.namespace}/${listenerSet.name}`;
  return `${gateway.namespace}/${gateway.name}${set} · ${name}`;
}

/** `Kind namespace/name`, with the port of a Service. */
export function refText({ kind, namespace, name, port }: DumpBackend['ref']): string {
  return `${kind} ${namespace}/${name}${port === null ? '' : `:${port}`}`;
}

export function isDump(value: unknown): value is Dump {
  return typeof value === 'object' && value !== null && 'binds' in value && 'resources' in value;
}
