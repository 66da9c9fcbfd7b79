import type { ConcreteCase } from '../../../conformance/runner/case/concrete-case.ts';
import { ImplementationFault } from '../../../conformance/runner/sut/session.ts';
import type { Followed } from './followed.ts';
import type { Covered, MutatedReference } from './mutated-reference.ts';

/** What following cases needs. */
export interface Following {
  readonly start: () => Promise<MutatedReference>;
  /** How many references run beside each other. */
  readonly lanes: number;
  readonly followed: Followed;
  readonly stopped: () => boolean;
  readonly told: (left: number) => void;
}

/**
 * Runs every case that was not followed yet alone on a reference without a mutant, so that what is passed meanwhile is what this case comes by.
 * Answers what is passed while the reference loads.
 */
export async function follow(cases: readonly ConcreteCase[], following: Following): Promise<Covered> {
  const { followed, lanes } = following;
  const left = cases.filter((one) => followed.of(one) === undefined);
  const work = left.values();
  const number = Math.max(1, Math.min(lanes, left.length));
  let atStart: Covered = new Map();
  const lane = async (): Promise<void> => {
    let reference = await following.start();
    try {
      atStart = await reference.covered();
      for (const one of work) {
        if (following.stopped()) return;
        const covered = await followOne(one, reference);
        followed.keep(one, covered === 'broken' ? undefined : covered);
        if (covered !== 'broken') continue;
        await reference.stop();
        reference = await following.start();
        await reference.covered();
      }
    } finally {
      await reference.stop();
    }
  };
  const timer = setInterval(() => following.told(left.filter((one) => followed.of(one) === undefined).length), 30_000);
  try {
    await Promise.all(Array.from({ length: number }, lane));
  } finally {
    clearInterval(timer);
    if (left.length > 0) followed.write();
  }
  return atStart;
}

/** Undefined for a case that is not green: it judges nothing. */
async function followOne(one: ConcreteCase, reference: MutatedReference): Promise<Covered | undefined | 'broken'> {
  try {
    const [result] = await reference.run([one], 'whole');
    const covered = await reference.covered();
    return result?.verdict === 'pass' ? covered : undefined;
  } catch (error) {
    if (error instanceof ImplementationFault) return 'broken';
    throw error;
  }
}
