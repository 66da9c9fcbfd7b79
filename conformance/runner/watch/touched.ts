/** What a change asks to be run again. */
export interface Touched {
  /** Everything that was chosen. */
  readonly everything: boolean;
  /** Files of cases, absolute. */
  readonly caseFiles: ReadonlySet<string>;
  /** Areas of the register: the cases that cite a clause of them. */
  readonly areas: ReadonlySet<string>;
  /** What has changed, for people. */
  readonly files: ReadonlySet<string>;
}

const NOBODY: ReadonlySet<string> = new Set();

/** Nothing at all. */
export const NOTHING: Touched = { everything: false, caseFiles: NOBODY, areas: NOBODY, files: NOBODY };

/** Everything that was chosen, without a file that has changed. */
export const EVERYTHING_CHOSEN: Touched = { ...NOTHING, everything: true };

/** What either asks for. */
export function both(one: Touched, other: Touched): Touched {
  return {
    everything: one.everything || other.everything,
    caseFiles: new Set([...one.caseFiles, ...other.caseFiles]),
    areas: new Set([...one.areas, ...other.areas]),
    files: new Set([...one.files, ...other.files]),
  };
}

/** Whether there is nothing to run. */
export function isNothing({ everything, caseFiles, areas }: Touched): boolean {
  return !everything && caseFiles.size === 0 && areas.size === 0;
}
