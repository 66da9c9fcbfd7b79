import { admit } from '../../admission/admit.ts';
import type { Clock } from '../../base/clock.ts';
import { invariant } from '../../base/invariant.ts';
import type { Log } from '../../base/log.ts';
import { openFiles } from '../../store/sources/files.ts';
import { type Problem, problemText } from '../../store/sources/resource-file.ts';
import type { Store } from '../../store/store.ts';
import { STANDALONE_SETUP } from './standalone-setup.ts';

/** Where the resources come from while the proxy runs. */
export interface Configuration {
  readonly close: () => void;
}

/**
 * Fills the store from a folder or a file and keeps following it; without a path, from the standalone setup. Everything is
 * loaded when this returns. Throws when the path cannot be read.
 */
export function startConfiguration(path: string | undefined, store: Store, clock: Clock, log: Log): Configuration {
  if (path !== undefined) {
    const onProblems = (problems: readonly Problem[]): void => {
      logProblems(problems, log);
    };
    return openFiles({ path, store, clock, onProblems });
  }
  store.replace(new Map([['standalone', STANDALONE_SETUP.map(admitOwn)]]));
  return { close: () => {} };
}

function logProblems(problems: readonly Problem[], log: Log): void {
  if (problems.length === 0) log.info('configuration is in order again');
  for (const problem of problems) {
    const report = problem.severity === 'error' ? log.error : log.warn;
    report('configuration problem', { problem: problemText(problem) });
  }
}

function admitOwn(value: object): Parameters<Store['apply']>[1] {
  const admission = admit(value);
  invariant(admission.ok, 'the standalone setup is admitted');
  return admission.resource;
}
