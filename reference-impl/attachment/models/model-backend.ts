import { perObject } from '../../base/per-object.ts';
import { namespaceOf, PROXY_API_GROUP } from '../../resources/envelope.ts';
import type { ProxyModel } from '../../resources/proxy-model/model.ts';
import type { ModelPolicies } from '../../resources/proxy-model/model-policies.ts';
import type { BackendFull } from '../../resources/proxy-policy/backend.ts';
import type { BackendAI } from '../../resources/proxy-policy/fields/ai/backend-ai.ts';
import { backendOf, type LocalBackendObjectReference } from '../../resources/references.ts';
import { ageOf } from '../age.ts';
import type { BackendLinks, BackendView, UnresolvedBackend } from '../backends/backend-view.ts';
import type { Resolution, ResolveBackend } from '../backends/resolved-backend.ts';
import { backendContributions, type Contribution, policiesAlong } from '../policies/contributions.ts';
import type { BackendSection, EffectiveBackend, InlineBackendRef } from '../policies/effective-policy.ts';
import { mergeBackend } from '../policies/merge.ts';
import { placesOfBackend } from '../policies/places.ts';
import { modelProvider } from './model-provider.ts';

/**
 * The provider behind a model as a backend, asked for `as` that name when there is one. `above` is what is said about
 * backends on the way to the model, from the Gateway to the listener.
 */
export function modelBackend(
  model: ProxyModel,
  as: string | undefined,
  above: readonly Contribution<BackendSection>[],
  { resolve, policiesAt }: BackendLinks,
): BackendView | UnresolvedBackend {
  const { metadata, kind } = model;
  const name = `${namespaceOf(model)}/${metadata.name}`;
  const provider = modelProvider(model, as);
  if (provider === undefined) return { unresolved: 'backendInvalid', message: `${kind} ${name} says no address` };
  const behind = destinationOf(model, provider.settings.custom?.backendRef, resolve);
  if (behind !== undefined && 'unresolved' in behind) return behind;
  // ATTACH-015: whoever leads to a Service, what is attached to it holds.
  const places = behind === undefined ? [] : placesOfBackend(behind.target, behind.sections);
  const said = [...above, ...backendContributions(policiesAlong(places, policiesAt))];
  const { encrypted, called } = provider;
  return {
    name,
    key: `${kind}/${name}${as === undefined ? '' : `/${as}`}`,
    type: 'ai',
    protocol: 'ai',
    ...(behind?.appProtocol !== undefined && { appProtocol: behind.appProtocol }),
    provider: provider.settings,
    model: { encrypted, called },
    endpoints: behind?.endpoints ?? [],
    policies: policiesOf(model, said),
    mirrors: [],
  };
}

/** MODEL-038: a provider of one's own may be a Service or InferencePool of the same namespace. */
function destinationOf(
  model: ProxyModel,
  ref: LocalBackendObjectReference | undefined,
  resolve: ResolveBackend,
): Resolution | undefined {
  const from = { group: PROXY_API_GROUP, kind: model.kind, namespace: namespaceOf(model) };
  return ref === undefined ? undefined : resolve(from, backendOf(ref));
}

/** MODEL-031 to MODEL-036: what the model says is taken before what is said on the way to it. */
function policiesOf(model: ProxyModel, above: readonly Contribution<BackendSection>[]): EffectiveBackend {
  if (model.spec.policies === undefined) return mergeBackend(above);
  const { ai = NO_AI } = mergeBackend(above);
  return mergeBackend([...above, contributionOf(model)(ai)]);
}

const NO_AI: BackendAI = {};

/** One object for the same model and the same `ai` above it: what was compiled for it stays. */
const contributionOf = perObject((model: ProxyModel) =>
  perObject((above: BackendAI): Contribution<ModelSection> => {
    const { kind, metadata, spec } = model;
    const policy = { kind, namespace: namespaceOf(model), name: metadata.name, level: 'inline' } as const;
    const section = sectionOf(spec.policies ?? {}, above);
    return { policy, age: ageOf(model), section, inheritance: 'Default' };
  }),
);

type ModelSection = BackendFull & InlineBackendRef;

function sectionOf(policies: ModelPolicies, above: BackendAI): ModelSection {
  const { auth, tls, tunnel, health, headers, transformations, promptGuard } = policies;
  const ai = { ...above, ...(transformations && { transformations }), ...(promptGuard && { promptGuard }) };
  return {
    ...(auth && { auth }),
    ...(tls && { tls }),
    ...(tunnel && { tunnel }),
    ...(health && { health }),
    ...(headers && { headerModifiers: headers }),
    ...((transformations ?? promptGuard) && { ai }),
  };
}
