import { z } from 'zod';
import { effectivePolicyFor, PHASES } from '../../attachment/policy-query.ts';
import { describeEffective } from '../../attachment/policies/effective-policy.ts';
import type { Resource } from '../../resources/kinds.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { createStore } from '../../store/store.ts';
import { admittedResources, distinct } from './input-resources.ts';
import { OperationError } from './operation-error.ts';

const question = z.object({
  phase: z.enum(PHASES),
  namespace: z.string().optional(),
  gateway: z.string().optional(),
  listener: z.string().optional(),
  route: z.string().optional(),
  rule: z.union([z.string(), z.number().int().transform(String)]).optional(),
  backend: z.string().optional(),
});
const effectivePolicyInput = question.extend({ resources: z.array(z.unknown()) });
const effectivePoliciesInput = z.object({
  shared: z.array(z.unknown()),
  sets: z.array(z.array(z.unknown())),
  questions: z.array(question),
});

type Question = z.infer<typeof question>;

/** The merged policy of a phase, from nothing but the resources of the input. */
export function effectivePolicy(input: unknown): object {
  const parsed = effectivePolicyInput.safeParse(input);
  if (!parsed.success) throw new OperationError(z.prettifyError(parsed.error));
  const { resources, ...asked } = parsed.data;
  return answerFrom(snapshotOf(admittedResources(resources)), asked);
}

/**
 * Every question for every set of resources, each beside the shared ones: what is shared is admitted once, and a set is linked once for all
 * its questions. What goes wrong with one answer stands in its place.
 */
export function effectivePolicies(input: unknown): object {
  const parsed = effectivePoliciesInput.safeParse(input);
  if (!parsed.success) throw new OperationError(z.prettifyError(parsed.error));
  const { sets, questions } = parsed.data;
  const shared = admittedResources(parsed.data.shared);
  return { answers: sets.map((set) => answersFor(set, shared, questions)) };
}

function answersFor(
  set: readonly unknown[],
  shared: readonly Resource[],
  questions: readonly Question[],
): readonly object[] {
  try {
    const snapshot = snapshotOf(distinct([...shared, ...admittedResources(set)]));
    return questions.map((asked) => orProblem(() => ({ result: answerFrom(snapshot, asked) })));
  } catch (error) {
    return questions.map(() => problemOf(error));
  }
}

function orProblem(answer: () => object): object {
  try {
    return answer();
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): object {
  if (!(error instanceof OperationError)) throw error;
  return { error: { message: error.message } };
}

function answerFrom(snapshot: Snapshot, asked: Question): object {
  const found = effectivePolicyFor(snapshot, asked);
  if (!found.ok) throw new OperationError(found.problem);
  return describeEffective(found.effective);
}

function snapshotOf(resources: readonly Resource[]): Snapshot {
  // Resources that bring no creation time are equally old.
  const store = createStore({ wall: () => 0 });
  store.replace(new Map([['input', resources]]));
  return store.snapshot();
}
