import type { BackendView, ConcreteModel, ModelTarget } from '../../../attachment/view.ts';
import { ProxyError, type ProxyErrorCode } from '../../../base/proxy-error.ts';
import type { VariableSource } from '../../../cel/program.ts';
import { mayUse } from './may-use.ts';

/** The model that serves a request, and where it is. */
export interface Chosen {
  readonly namespace: string;
  readonly name: string;
  readonly backend: BackendView;
}

/** The model, asked for `as` that name when there is one. Throws what a backend that cannot be used fails with. */
export function served(model: ConcreteModel, as: string | undefined): Chosen {
  const backend = model.backend(as);
  if ('unresolved' in backend) throw new ProxyError(UNUSABLE[backend.unresolved]);
  return { namespace: model.namespace, name: model.name, backend };
}

/**
 * The model of a chosen target; MODEL-011: it may be internal. Throws virtualModelTargetNotFound,
 * virtualModelNotResolved or modelAuthorizationDenied.
 */
export function servedTarget({ ref, model, as }: ModelTarget, variables: VariableSource): Chosen {
  if (model === undefined) throw new ProxyError('virtualModelTargetNotFound', ref);
  if (as === undefined) throw new ProxyError('virtualModelNotResolved', ref);
  if (!mayUse(model, variables)) throw new ProxyError('modelAuthorizationDenied', as);
  return served(model, as);
}

const UNUSABLE = {
  backendNotFound: 'backendNotFound',
  serviceNotFound: 'serviceNotFound',
  backendInvalid: 'backendNotFound',
} as const satisfies Record<string, ProxyErrorCode>;
