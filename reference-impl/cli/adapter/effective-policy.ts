import { z } from 'zod';
import { admit } from '../../admission/admit.ts';
import { pathText } from '../../admission/violation.ts';
import { effectivePolicyFor, PHASES } from '../../attachment/effective.ts';
import { describeEffective } from '../../attachment/effective-policy.ts';
import { keyOf, type Resource } from '../../resources/kinds.ts';
import { createStore } from '../../store/store.ts';
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
  store.replace(new Map([['input', distinct(resources.map(admitted))]]));
  const found = effectivePolicyFor(store.snapshot(), query);
  if (!found.ok) throw new OperationError(found.problem);
  return describeEffective(found.effective);
}

function admitted(value: unknown, index: number): Resource {
  const admission = admit(value);
  if (admission.ok) return admission.resource;
  const problems = admission.violations.map(({ path, message }) => `${pathText(path)}: ${message}`);
  throw new OperationError(`resources[${index}] is not accepted: ${problems.join('; ')}`);
}

function distinct(resources: readonly Resource[]): readonly Resource[] {
  const keys = new Set<string>();
  for (const key of resources.map(keyOf)) {
    if (keys.has(key)) throw new OperationError(`${key} is given twice`);
    keys.add(key);
  }
  return resources;
}
