import type { Writable } from 'node:stream';
import { effectivePolicyFor, type EffectivePhase, type RequestTarget } from '../../attachment/policy-query.ts';
import { describeEffective } from '../../attachment/policies/effective-policy.ts';
import { systemClock } from '../../base/clock.ts';
import type { Snapshot } from '../../store/snapshot.ts';
import { openFiles } from '../../store/sources/files.ts';
import { problemText } from '../../store/sources/resource-file.ts';
import { createStore } from '../../store/store.ts';
import { withoutCredentials, withoutLiteralCredentials } from '../../trace/credentials.ts';

export interface EffectivePolicyFlags extends RequestTarget {
  readonly config: string;
  readonly phase: EffectivePhase;
  readonly sources?: boolean;
}

/** Prints the merged policy as JSON, inline credentials hidden: such output ends up in tickets. Exit code 2 when the path or a name is wrong, with the reason on `problems`. */
export function runEffectivePolicy(flags: EffectivePolicyFlags, output: Writable, problems: Writable): number {
  const loaded = load(flags.config);
  if ('wrong' in loaded) {
    for (const line of loaded.wrong) problems.write(`${line}\n`);
    return 2;
  }
  const found = effectivePolicyFor(loaded.snapshot, flags);
  if (!found.ok) {
    problems.write(`effective-policy: ${found.problem}\n`);
    return 2;
  }
  const effectivePolicy = withoutLiteralCredentials(withoutCredentials(describeEffective(found.effective)));
  const { sources } = found.effective;
  output.write(
    `${JSON.stringify(flags.sources === true ? { effectivePolicy, sources } : effectivePolicy, undefined, 2)}\n`,
  );
  return 0;
}

/** The resources of the folder or file as they are now, or everything that is wrong with them. */
function load(path: string): { readonly snapshot: Snapshot } | { readonly wrong: readonly string[] } {
  const store = createStore(systemClock);
  let wrong: readonly string[] = [];
  try {
    openFiles({
      path,
      store,
      clock: systemClock,
      onProblems: (found) => {
        wrong = found.filter(({ severity }) => severity === 'error').map(problemText);
      },
    }).close();
  } catch (error) {
    wrong = [`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  }
  return wrong.length > 0 ? { wrong } : { snapshot: store.snapshot() };
}
