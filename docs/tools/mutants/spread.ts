import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';

/** Cases in an order in which the first few show much: everything that one has comes once before any comes again, what few cases have first. */
export function spread(
  cases: readonly ConcreteCase[],
  shownBy: (one: ConcreteCase) => Iterable<string>,
): readonly ConcreteCase[] {
  const nouns = new Map(cases.map((one) => [one, new Set(shownBy(one))]));
  const having = new Map<string, ConcreteCase[]>();
  for (const [one, of] of nouns)
    for (const noun of of) {
      const others = having.get(noun);
      if (others === undefined) having.set(noun, [one]);
      else others.push(one);
    }
  const rareFirst = [...having].toSorted(([, one], [, other]) => one.length - other.length);
  const order = new Set<ConcreteCase>();
  for (let before = -1; order.size > before;) {
    before = order.size;
    const shown = new Set<string>();
    for (const [noun, of] of rareFirst) {
      if (shown.has(noun)) continue;
      // What is in order already is dropped: no round looks at it again.
      while (of.length > 0 && order.has(of.at(-1) as ConcreteCase)) of.pop();
      const next = of.at(-1);
      if (next === undefined) continue;
      order.add(next);
      for (const also of nouns.get(next) ?? []) shown.add(also);
    }
  }
  return [...new Set([...order, ...cases])];
}

/** The names of members: fields, steps, peers; and values that are written like kinds, types and modes: `ListenerSet`, `PreRouting`. */
export function nounsOf({ config, topology, peers, steps, expect, layer }: ConcreteCase): ReadonlySet<string> {
  const found = new Set<string>([layer]);
  const walk = (value: unknown): void => {
    if (typeof value === 'string' && /^(?:[A-Z][a-z]+)+$/.test(value)) found.add(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) found.add(name);
      walk(member);
    }
  };
  walk([config, topology, peers, steps, expect]);
  return found;
}
