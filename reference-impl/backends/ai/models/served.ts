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

/** The model, asked for the name that the client asked for. Throws what a backend that cannot be used fails with. */
export function serveModel(model: ConcreteModel): Chosen {
  return servedAt(model, model.backend);
}

/**
 * The model of a chosen target; MODEL-011: it may be internal. Throws virtualModelTargetNotFound,
 * virtualModelNotResolved or modelAuthorizationDenied.
 */
export function serveTarget({ ref, model, as, backend }: ModelTarget, variables: VariableSource): Chosen {
  if (model === undefined) throw new ProxyError('virtualModelTargetNotFound', ref);
  if (backend === undefined) throw new ProxyError('virtualModelNotResolved', ref);
  if (!mayUse(model, variables)) throw new ProxyError('modelAuthorizationDenied', as);
  return servedAt(model, backend);
}

function servedAt({ namespace, name }: ConcreteModel, backend: ConcreteModel['backend']): Chosen {
  if ('unresolved' in backend) throw new ProxyError(UNUSABLE[backend.unresolved]);
  return { namespace, name, backend };
}

const UNUSABLE = {
  backendNotFound: 'backendNotFound',
  serviceNotFound: 'serviceNotFound',
  backendInvalid: 'backendNotFound',
} as const satisfies Record<string, ProxyErrorCode>;
