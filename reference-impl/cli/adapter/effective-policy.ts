import { z } from 'zod';
import { effectivePolicyFor, PHASES } from '../../attachment/policy-query.ts';
import { describeEffective } from '../../attachment/policies/effective-policy.ts';
import { createStore } from '../../store/store.ts';
import { admittedResources } from './input-resources.ts';
import { OperationError } from './operation-error.ts';

const effectivePolicyInput = z.object({
  resources: z.array(z.unknown()),
  phase: z.enum(PHASES),
  namespace: z.string().optional(),
  gateway: z.string().optional(),
  listener: z.string().optional(),
  route: z.string().optional(),
  rule: z.union([z.string(), z.number().int().transform(String)]).optional(),
  backend: z.string().optional(),
});

/** The merged policy of a phase, from nothing but the resources of the input. */
export function effectivePolicy(input: unknown): object {
  const parsed = effectivePolicyInput.safeParse(input);
  if (!parsed.success) throw new OperationError(z.prettifyError(parsed.error));
  const { resources, ...query } = parsed.data;
  // Resources that bring no creation time are equally old.
  const store = createStore({ wall: () => 0 });
  store.replace(new Map([['input', admittedResources(resources)]]));
  const found = effectivePolicyFor(store.snapshot(), query);
  if (!found.ok) throw new OperationError(found.problem);
  return describeEffective(found.effective);
}
