import type { Mutant } from './mutant.ts';

/** Makes one bundle of the reference that holds every mutant of the named files behind Stryker's switches. */
export function instrument(request: {
  readonly root: string;
  /** Relative to the root. */
  readonly files: readonly string[];
  /** Folder of the bundle; there is none when absent. */
  readonly out?: string;
}): Promise<{
  readonly main: string;
  readonly mutants: readonly Mutant[];
  /** Those that are no mistake whatever they do, by the rule that says so. */
  readonly leftOut: readonly { readonly why: string; readonly mutants: readonly Mutant[] }[];
}>;
