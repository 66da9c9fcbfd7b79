import type { Envelope } from '../resources/envelope.ts';

/** Who writes the status. */
export const CONTROLLER_NAME = 'proxy.example/controller';

/** A condition without `lastTransitionTime`: status is computed from the configuration, which knows no history. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

/** The status of one resource, as its `status` member would show it. */
export interface ResourceStatus {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: object;
}

type MakeCondition = (type: string, reason: string, message: string) => Condition;

/** Makes the conditions of one resource. */
export function conditionOf({ metadata }: Envelope): { readonly holds: MakeCondition; readonly fails: MakeCondition } {
  const { generation } = metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  return {
    holds: (type, reason, message) => ({ type, status: 'True', reason, message, ...observed }),
    fails: (type, reason, message) => ({ type, status: 'False', reason, message, ...observed }),
  };
}

export function statusEntry(resource: Envelope, status: object): ResourceStatus {
  return { kind: resource.kind, namespace: resource.metadata.namespace ?? '', name: resource.metadata.name, status };
}
