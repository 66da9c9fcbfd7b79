import type { ConcreteCase } from '../case/concrete-case.ts';
import { isolationOf } from '../case/isolation.ts';
import type { PastDurations } from './past-durations.ts';
import { shuffled } from './random.ts';

/** Who runs when. Within a group the order is that of the seed, but for cases that are known to be slow or that read metrics. */
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

/** What else a plan depends on. */
export interface PlanOptions {
  /** How many milliseconds slow cases took. */
  readonly past?: PastDurations;
  /** How many cases are handed over at a time; 64 when absent. */
  readonly batch?: number;
  /** Nothing runs or is handed over beside a case. */
  readonly oneByOne?: boolean;
}

/** Puts the cases in order and groups. Every case is in exactly one group. */
export function planRun(
  cases: readonly ConcreteCase[],
  seed: number,
  { past = new Map(), batch = BATCH, oneByOne = false }: PlanOptions = {},
): Plan {
  const order = shuffled(cases, seed);
  if (oneByOne) {
    const [own, others] = [order.filter(isOwn), order.filter((one) => !isOwn(one))];
    return { seed, shared: [], instance: own, exclusive: others.map((one) => [one]) };
  }
  const shared = order.filter((one) => isolationOf(one) === 'host');
  return {
    seed,
    shared: batches(readersSooner(shared, past), batch),
    instance: order.filter(isOwn),
    exclusive: batches(
      order.filter((one) => isolationOf(one) === 'exclusive'),
      batch,
    ),
  };
}

function isOwn(one: ConcreteCase): boolean {
  return isolationOf(one) === 'instance';
}

/** Those that read metrics right behind the first batch, before the others have added to what they read. */
function readersSooner(order: readonly ConcreteCase[], past: PastDurations): readonly ConcreteCase[] {
  const readers = order.filter(readsMetrics);
  const others = slowSooner(
    order.filter((one) => !readsMetrics(one)),
    past,
  );
  return [...others.slice(0, FIRST_BATCH), ...readers, ...others.slice(FIRST_BATCH)];
}

/** Every case leaves metrics behind that have its names: in the end one look at all of them is tens of megabytes. */
function readsMetrics({ steps }: ConcreteCase): boolean {
  return steps.some(({ kind }) => kind === 'metrics');
}

/**
 * The slow ones in the first half, the slowest first, evenly among the others: at the end nobody waits for one of them, and meanwhile
 * there is work for the time in which they wait.
 */
function slowSooner(order: readonly ConcreteCase[], past: PastDurations): readonly ConcreteCase[] {
  const slow = order
    .filter(({ id }) => past.has(id))
    .toSorted((one, other) => (past.get(other.id) ?? 0) - (past.get(one.id) ?? 0));
  const quick = order.filter(({ id }) => !past.has(id));
  const gap = Math.floor(quick.length / 2 / (slow.length + 1));
  const from = Math.min(FIRST_BATCH, quick.length);
  return [
    ...quick.slice(0, from),
    ...slow.flatMap((one, index) => [one, ...quick.slice(from + index * gap, from + (index + 1) * gap)]),
    ...quick.slice(from + slow.length * gap),
  ];
}

function batches(cases: readonly ConcreteCase[], size: number): readonly (readonly ConcreteCase[])[] {
  const first = Math.min(FIRST_BATCH, size);
  const cut = cases.length === 0 ? [] : [cases.slice(0, first)];
  for (let at = first; at < cases.length; at += size) cut.push(cases.slice(at, at + size));
  return cut;
}
