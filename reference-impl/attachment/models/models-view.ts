import { perKey } from '../../base/per-key.ts';
import { namespaceOf } from '../../resources/envelope.ts';
import type { ProxyModel } from '../../resources/proxy-model/model.ts';
import type { Authorization } from '../../resources/proxy-policy/fields/authorization.ts';
import { createdAt } from '../age.ts';
import type { BackendLinks, BackendView, UnresolvedBackend } from '../backends/backend-view.ts';
import type { GatewayListener } from '../listeners.ts';
import { mergeTraffic } from '../policies/merge.ts';
import type { ListenerContributions, RuleView } from '../routes/rule-view.ts';
import { modelBackend } from './model-backend.ts';

/** The models of one listener. */
export interface ModelsView {
  /** What requests for models pass on the way: no route, so what is said above every route. */
  readonly rule: RuleView;
  /** By namespace and name, as are the virtual ones. */
  readonly concrete: readonly ConcreteModel[];
  readonly virtual: readonly VirtualModel[];
}

export interface ModelId {
  readonly namespace: string;
  readonly name: string;
  /** What clients ask for, as the resource writes it: it may have a `*` when the model has a provider. */
  readonly offered: string;
  /** Seconds since 1970. */
  readonly created: number;
}

/** A model with a provider. */
export interface ConcreteModel extends ModelId {
  readonly matches: (asked: string) => boolean;
  /** MODEL-009, MODEL-010: whether clients may ask for it. */
  readonly isPublic: boolean;
  readonly authorization: Authorization | undefined;
  /** The backend, asked for the name that the client asked for. */
  readonly backend: BackendView | UnresolvedBackend;
}

/** A model that routes among others. */
export interface VirtualModel extends ModelId {
  readonly routing: 'weighted' | 'failover' | 'conditional';
  readonly targets: readonly ModelTarget[];
}

export interface ModelTarget {
  /** `namespace/name` of the model it refers to. */
  readonly ref: string;
  /** Undefined when there is no such model with a provider at the listener. */
  readonly model: ConcreteModel | undefined;
  /** The name to ask for; undefined when the target has none and its model has a wildcard (ADMIT-051). */
  readonly as: string | undefined;
  /** The backend, asked for that name; undefined when there is no model or no name. */
  readonly backend: BackendView | UnresolvedBackend | undefined;
  readonly weight: number;
  readonly priority: number;
  readonly when: string | undefined;
}

/** The models that hang on the listener; undefined when none does. */
export function modelsView(
  listener: GatewayListener,
  models: readonly ProxyModel[],
  above: ListenerContributions,
  links: BackendLinks,
): ModelsView | undefined {
  if (models.length === 0) return undefined;
  const concrete = new Map(
    models
      .filter(({ spec }) => spec.virtualModel === undefined)
      .map((model) => [keyOf(model), servingModel(model, above, links)] as const),
  );
  return {
    rule: ruleOf(listener, above),
    concrete: [...concrete.values()].map(({ view }) => view),
    virtual: models.flatMap((model) => virtualModel(model, concrete)),
  };
}

/** A model with a provider, and its backend asked for `as` any name: targets give it names of their own. */
interface ServingModel {
  readonly view: ConcreteModel;
  readonly backendAs: (as: string | undefined) => BackendView | UnresolvedBackend;
}

function servingModel(model: ProxyModel, above: ListenerContributions, links: BackendLinks): ServingModel {
  const { visibility = 'Public', policies } = model.spec;
  const backendAs = perKey((as: string | undefined) => modelBackend(model, as, above.backend, links));
  const id = idOf(model);
  const view = {
    ...id,
    matches: matcher(id.offered),
    isPublic: visibility === 'Public',
    authorization: policies?.authorization,
    backend: backendAs(undefined),
  };
  return { view, backendAs };
}

/** MODEL-003 to MODEL-006: one `*` at the start or the end stands for any text. */
function matcher(offered: string): (asked: string) => boolean {
  if (offered.startsWith('*')) return (asked) => asked.endsWith(offered.slice(1));
  if (offered.endsWith('*')) return (asked) => asked.startsWith(offered.slice(0, -1));
  return (asked) => asked === offered;
}

function virtualModel(model: ProxyModel, concrete: ReadonlyMap<string, ServingModel>): VirtualModel[] {
  const { weighted, failover, conditional } = model.spec.virtualModel ?? {};
  const found =
    (weighted && (['weighted', weighted.targets] as const)) ??
    (failover && (['failover', failover.targets] as const)) ??
    (conditional && (['conditional', conditional.targets] as const));
  if (found === undefined) return [];
  const [routing, targets] = found;
  return [{ ...idOf(model), routing, targets: targets.map((target) => modelTarget(target, model, concrete)) }];
}

interface WrittenTarget {
  readonly modelRef: { readonly name: string };
  readonly model?: string;
  readonly weight?: number;
  readonly priority?: number;
  readonly when?: string;
}

function modelTarget(
  { modelRef, model: named, weight = 1, priority = 0, when }: WrittenTarget,
  owner: ProxyModel,
  concrete: ReadonlyMap<string, ServingModel>,
): ModelTarget {
  const ref = `${namespaceOf(owner)}/${modelRef.name}`;
  const serving = concrete.get(ref);
  const model = serving?.view;
  // MODEL-027, MODEL-028: nobody can be asked for a name with a wildcard.
  const exact = model === undefined || model.offered.includes('*') ? undefined : model.offered;
  const as = named ?? exact;
  const backend = as === undefined ? undefined : serving?.backendAs(as);
  return { ref, model, as, backend, weight, priority, when };
}

/** MODEL-007 */
function idOf(model: ProxyModel): ModelId {
  const { name } = model.metadata;
  return { namespace: namespaceOf(model), name, offered: model.spec.match?.model ?? name, created: createdAt(model) };
}

function keyOf(model: ProxyModel): string {
  return `${namespaceOf(model)}/${model.metadata.name}`;
}

/** TRACE-073: the way to all models of a listener goes by one name, that of the Gateway. */
function ruleOf({ gateway }: GatewayListener, above: ListenerContributions): RuleView {
  const { namespace, name } = { namespace: namespaceOf(gateway), name: gateway.metadata.name };
  return {
    key: `${namespace}/${name}.models`,
    route: { kind: 'ProxyModel', namespace, name: '*', rule: undefined },
    matchedPrefix: undefined,
    postRouting: mergeTraffic('PostRouting', above.traffic),
    backends: [],
    mirrors: [],
  };
}
