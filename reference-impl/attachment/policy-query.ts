import type { Snapshot } from '../store/snapshot.ts';
import type { EffectivePolicy } from './policies/effective-policy.ts';
import { buildView, type ListenerView, type MergedRule, type WeightedBackend } from './view.ts';

/** The phases of `policySelection`, and `frontend`. */
export const PHASES = ['gateway', 'route', 'backend', 'frontend'] as const;
export type EffectivePhase = (typeof PHASES)[number];

/**
 * The way a request takes. Objects are `namespace/name`, or `name` in `namespace` (in any namespace when that is
 * unset); a rule is its name or its index. What is left out is found when only one answer is possible.
 */
export interface RequestTarget {
  readonly namespace?: string | undefined;
  readonly gateway?: string | undefined;
  readonly listener?: string | undefined;
  readonly route?: string | undefined;
  readonly rule?: string | undefined;
  readonly backend?: string | undefined;
}

/** The merged policy, or in words why there is no single one. */
export type EffectiveAnswer =
  | { readonly ok: true; readonly effective: EffectivePolicy }
  | { readonly ok: false; readonly problem: string };

/** The effective policy of one phase for the way a request takes, exactly as requests see it. */
export function effectivePolicyFor(
  snapshot: Snapshot,
  query: RequestTarget & { readonly phase: EffectivePhase },
): EffectiveAnswer {
  try {
    return onlyAnswer(candidatesFor(snapshot, query), query);
  } catch (error) {
    if (error instanceof UnknownName) return { ok: false, problem: error.message };
    throw error;
  }
}

class UnknownName extends Error {}

/** Names listed in a message; more would not be read. */
const MAX_LISTED = 20;

interface Candidate {
  readonly label: string;
  readonly effective: EffectivePolicy;
}

/** Ways that give the identical object are one answer. */
function onlyAnswer(candidates: readonly Candidate[], { phase }: { readonly phase: EffectivePhase }): EffectiveAnswer {
  const [first] = candidates;
  if (first !== undefined && candidates.every(({ effective }) => effective === first.effective)) {
    return { ok: true, effective: first.effective };
  }
  const ways = candidates
    .slice(0, MAX_LISTED)
    .map(({ label }) => label)
    .join('; ');
  return { ok: false, problem: `phase ${phase} has several answers here, say which: ${ways}` };
}

function candidatesFor(
  snapshot: Snapshot,
  query: RequestTarget & { readonly phase: EffectivePhase },
): readonly Candidate[] {
  return CANDIDATES[query.phase](listenersFor(snapshot, query), query);
}

const CANDIDATES: Readonly<
  Record<EffectivePhase, (listeners: readonly ListenerView[], query: RequestTarget) => readonly Candidate[]>
> = {
  frontend: (listeners) =>
    listeners.map((listener) => ({ label: listenerLabel(listener), effective: listener.frontend })),
  gateway: (listeners) =>
    listeners.map((listener) => ({ label: listenerLabel(listener), effective: listener.preRouting })),
  route: (listeners, query) =>
    waysFor(listeners, query).map(({ label, rule }) => ({ label, effective: rule.postRouting })),
  backend: (listeners, query) => waysFor(listeners, query).flatMap((way) => backendsFor(way, query)),
};

function listenersFor(snapshot: Snapshot, query: RequestTarget): readonly ListenerView[] {
  const all = [...buildView(snapshot).binds.values()].flatMap(({ listeners }) => listeners);
  const ofGateway = narrow(all, {
    what: 'Gateway',
    wanted: query.gateway,
    nameOf: ({ gateway }) => idOf(gateway),
    matches: isNamedIn(query),
  });
  return narrow(ofGateway, { what: 'listener', wanted: query.listener, nameOf: ({ name }) => name, matches: isSame });
}

interface Way {
  readonly label: string;
  readonly rule: MergedRule;
}

function waysFor(listeners: readonly ListenerView[], query: RequestTarget): readonly Way[] {
  const all = listeners.flatMap((listener) =>
    listener.rules.map((rule) => ({ rule, label: `${listenerLabel(listener)}, HTTPRoute rule ${rule.key}` })),
  );
  const ofRoute = narrow(all, {
    what: 'attached HTTPRoute',
    wanted: query.route,
    nameOf: ({ rule }) => idOf(rule.route),
    matches: isNamedIn(query),
  });
  return narrow(ofRoute, {
    what: 'rule',
    wanted: query.rule,
    nameOf: ({ rule }) => rule.route.rule ?? indexOf(rule),
    matches: (wanted, name, way) => [name, indexOf(way.rule)].includes(wanted),
  });
}

function backendsFor({ label, rule }: Way, query: RequestTarget): Candidate[] {
  const refs = narrow(rule.backends, {
    what: 'backend',
    wanted: query.backend,
    nameOf: ({ ref }) => idOf(ref),
    matches: (wanted, _, { ref }) => [idOf(ref), `${idOf(ref)}:${ref.port}`].some((id) => isNamedIn(query)(wanted, id)),
  });
  return refs.map((weighted) => ({
    label: `${label}, backend ${idOf(weighted.ref)}`,
    effective: policiesOf(weighted),
  }));
}

function policiesOf({ backend, ref }: WeightedBackend): EffectivePolicy {
  if ('unresolved' in backend) throw new UnknownName(`backend ${idOf(ref)} cannot be used: ${backend.message}`);
  return backend.policies;
}

interface Choice<Item> {
  /** What messages call an item. */
  readonly what: string;
  /** As the caller wrote it; undefined takes them all. */
  readonly wanted: string | undefined;
  readonly nameOf: (item: Item) => string;
  readonly matches: (wanted: string, name: string, item: Item) => boolean;
}

/** Those the caller asked for; nothing found is an error that says what there is. */
function narrow<Item>(items: readonly Item[], { what, wanted, nameOf, matches }: Choice<Item>): readonly Item[] {
  const found = wanted === undefined ? items : items.filter((item) => matches(wanted, nameOf(item), item));
  if (found.length > 0) return found;
  const known = [...new Set(items.map(nameOf))];
  const there = known.length === 0 ? 'there is none' : `there is ${known.slice(0, MAX_LISTED).join(', ')}`;
  throw new UnknownName(wanted === undefined ? `there is no ${what}` : `no ${what} "${wanted}": ${there}`);
}

/** `namespace/name`, or a name in the namespace asked for. */
function isNamedIn({ namespace }: RequestTarget): (wanted: string, id: string) => boolean {
  return (wanted, id) => {
    if (wanted.includes('/')) return wanted === id;
    return namespace === undefined ? id.endsWith(`/${wanted}`) : id === `${namespace}/${wanted}`;
  };
}

function isSame(wanted: string, name: string): boolean {
  return wanted === name;
}

function idOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

function indexOf({ key }: MergedRule): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

function listenerLabel({ gateway, name }: ListenerView): string {
  return `Gateway ${idOf(gateway)} listener ${name}`;
}
