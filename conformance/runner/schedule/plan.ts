import type { ConcreteCase } from '../case/concrete-case.ts';
import { shuffled } from './random.ts';

/** Who runs when. Within a group the order is that of the seed. */
export interface Plan {
  readonly seed: number;
  /** Cases that share one implementation, in the batches in which their configuration is handed over. */
  readonly shared: readonly (readonly ConcreteCase[])[];
  /** Cases that each want an implementation of their own. */
  readonly instance: readonly ConcreteCase[];
  /** Cases during which nothing else may reach the shared implementation, in batches of configuration; run one by one. */
  readonly exclusive: readonly (readonly ConcreteCase[])[];
}

// Small at first, so that the first verdict comes soon; then large, because a revision costs about the same for one case as for many.
const FIRST_BATCH = 8;
const BATCH = 64;

/** Puts the cases in order and groups. Every case is in exactly one group. */
export function planRun(cases: readonly ConcreteCase[], seed: number): Plan {
  const order = shuffled(cases, seed);
  return {
    seed,
    shared: batches(order.filter((one) => isolationOf(one) === 'host')),
    instance: order.filter((one) => isolationOf(one) === 'instance'),
    exclusive: batches(order.filter((one) => isolationOf(one) === 'exclusive')),
  };
}

/** The group of a case. A trace watch takes the next request of anybody, so it can share nothing. */
export function isolationOf(one: ConcreteCase): ConcreteCase['isolation'] {
  if (one.isolation === 'instance') return 'instance';
  return one.isolation === 'exclusive' || one.vantage === 'trace' ? 'exclusive' : 'host';
}

function batches(cases: readonly ConcreteCase[]): readonly (readonly ConcreteCase[])[] {
  const cut: (readonly ConcreteCase[])[] = [];
  for (let at = 0; at < cases.length; at += at === 0 ? FIRST_BATCH : BATCH) {
    cut.push(cases.slice(at, at + (at === 0 ? FIRST_BATCH : BATCH)));
  }
  return cut;
}
