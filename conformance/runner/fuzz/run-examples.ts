import type { ConcreteCase } from '../case/concrete-case.ts';
import { inNamespace } from '../case/in-namespace.ts';
import { namespaceOf } from '../case/vary.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { executeCase, withoutRun } from '../schedule/execute-case.ts';
import { prepareCases, releaseCase, type PreparedCase, type UnpreparedCase } from '../schedule/prepare-case.ts';
import type { Instance } from '../sut/instance.ts';
import { once } from '../values/once.ts';
import { askAll, asksOnly } from './ask-all.ts';

/** Runs the examples of one property on one instance. */
export interface ExampleRunner {
  /** Whether the implementation declares everything that the example needs. */
  readonly offered: (example: ConcreteCase) => boolean;
  /** Whether each of them passes, found out as cheaply as can be. */
  readonly passing: (examples: readonly ConcreteCase[]) => Promise<readonly boolean[]>;
  /** One of them as a case of its own, with everything a report wants to know. Never rejects. */
  readonly run: (example: ConcreteCase) => Promise<CaseResult>;
  /** Stops what the examples share. */
  readonly close: () => Promise<void>;
}

/**
 * What examples share is started once: the peers of the property, and its configuration where no example adds to it. Questions go out many at
 * a time; examples that bring configuration share a revision, each in a namespace of its own; whatever looks at all traffic runs alone.
 */
export function openExamples(one: ConcreteCase, instance: Instance): ExampleRunner {
  // Prepared when the first example asks for it: those that bring configuration do not.
  const hold = once(async () => (await prepareCases([{ ...one, steps: [] }], instance))[0]);
  let isHeldNow = false;
  let alones = 0;
  return {
    offered: ({ needs }) => needs.every((feature) => instance.session.features[feature] === true),
    passing: async (examples) => {
      if (examples.every(asksOnly)) {
        const held = await holding();
        return held === undefined || 'error' in held ? examples.map(() => false) : askAll(examples, held);
      }
      if (one.isolation === 'exclusive' || examples.some((example) => isHeld(example, one)))
        return inTurn(examples, async (example) => passes(await alone(example)));
      return (await together(examples, instance)).map(passes);
    },
    run: alone,
    close: async () => {
      const held = isHeldNow ? await hold() : undefined;
      if (held !== undefined) await releaseCase(held);
    },
  };

  async function holding(): Promise<PreparedCase | UnpreparedCase | undefined> {
    isHeldNow = true;
    return hold();
  }

  async function alone(example: ConcreteCase): Promise<CaseResult> {
    const held = isHeld(example, one) ? await holding() : undefined;
    if (held !== undefined) return onHeld(example, held);
    alones += 1;
    const [result] = await prepared([apart(example, `alone ${alones}`)], instance);
    return result ?? withoutRun(example, { broken: { fault: 'harness', message: 'nothing was prepared' } });
  }
}

/** Whether what is prepared for the property is all that the example needs. */
function isHeld({ config, peers, layer }: ConcreteCase, one: ConcreteCase): boolean {
  return config === one.config && peers === one.peers && layer !== 'op';
}

/** The example finds the ledgers of the peers empty, and leaves them so. */
async function onHeld(example: ConcreteCase, held: PreparedCase | UnpreparedCase): Promise<CaseResult> {
  if ('error' in held) return executeCase({ ...held, case: example });
  const ledgers = held.peers.names.map((name) => held.peers.get(name).ledger.mark());
  const result = await executeCase({ ...held, case: example });
  for (const forget of ledgers) forget();
  return result;
}

async function together(examples: readonly ConcreteCase[], instance: Instance): Promise<readonly CaseResult[]> {
  return prepared(
    examples.map((example, index) => apart(example, `example ${index}`)),
    instance,
  );
}

/** The example in a namespace of its own, with a host of its own. */
function apart(example: ConcreteCase, which: string): ConcreteCase {
  return inNamespace(example, namespaceOf(`${example.id} ${which}`));
}

async function prepared(examples: readonly ConcreteCase[], instance: Instance): Promise<readonly CaseResult[]> {
  const ready = await prepareCases(examples, instance);
  return Promise.all(
    ready.map(async (example) => {
      const result = await executeCase(example);
      await releaseCase(example);
      return result;
    }),
  );
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

function passes({ verdict }: CaseResult): boolean {
  return verdict === 'pass';
}
