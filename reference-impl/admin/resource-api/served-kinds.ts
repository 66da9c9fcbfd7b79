import { PROXY_API_GROUP } from '../../resources/envelope.ts';
import { groupOf, isKindName, KINDS, type KindName } from '../../resources/kinds.ts';

/** One kind as the API offers it. */
export interface ServedKind {
  readonly name: KindName;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** The words that stand for several kinds at once, as in `kubectl get all`. */
  readonly categories: readonly string[];
  readonly namespaced: boolean;
}

const SHORT_NAMES: Partial<Readonly<Record<KindName, readonly string[]>>> = {
  GatewayClass: ['gc'],
  Gateway: ['gtw'],
  ListenerSet: ['lset'],
  ReferenceGrant: ['refgrant'],
  Service: ['svc'],
  Pod: ['po'],
  InferencePool: ['infpool'],
  ConfigMap: ['cm'],
  Namespace: ['ns'],
};

/** By group; those of our own are in the definitions as well. */
const CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  [PROXY_API_GROUP]: ['proxy'],
  'gateway.networking.k8s.io': ['gateway-api'],
};

/** What `kubectl get all` shows of the core group. */
const SHOWN_WITH_ALL: ReadonlySet<KindName> = new Set<KindName>(['Service', 'Pod']);

/** In the order of the registry of kinds. */
export const SERVED_KINDS: readonly ServedKind[] = Object.keys(KINDS).filter(isKindName).map(servedKind);

/** The kinds whose patches may be strategic, because clients know their fields; the others are custom resources. */
export function isBuiltIn({ group }: ServedKind): boolean {
  return group === '' || group === 'discovery.k8s.io';
}

/** The kind behind the last part of a collection's path. */
export function kindAt(apiVersion: string, plural: string): ServedKind | undefined {
  return SERVED_KINDS.find((kind) => kind.apiVersion === apiVersion && kind.plural === plural);
}

export function kindNamed(name: KindName): ServedKind {
  return SERVED_KINDS.find((kind) => kind.name === name) ?? servedKind(name);
}

/** `proxypolicies.proxy.example`; the plural alone for the core group. */
export function resourceName({ plural, group }: ServedKind): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** `ProxyPolicy.proxy.example`; the kind alone for the core group. */
export function qualifiedKind({ name, group }: ServedKind): string {
  return group === '' ? name : `${name}.${group}`;
}

function servedKind(name: KindName): ServedKind {
  const { apiVersion, plural, namespaced } = KINDS[name];
  return {
    name,
    group: groupOf(apiVersion),
    version: apiVersion.slice(apiVersion.indexOf('/') + 1),
    apiVersion,
    plural,
    singular: name.toLowerCase(),
    shortNames: SHORT_NAMES[name] ?? [],
    categories: SHOWN_WITH_ALL.has(name) ? ['all'] : (CATEGORIES[groupOf(apiVersion)] ?? []),
    namespaced,
  };
}
