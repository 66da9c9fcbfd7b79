import type { Selection } from './case/select.ts';
import type { Reporter } from './report/events.ts';
import type { Attendant } from './sut/attendant.ts';

/** What a user asks of a run. */
export interface RunRequest {
  readonly manifestFile: string;
  readonly selection: Selection;
  /** Folder of case files; that of this package when absent. */
  readonly cases?: string | undefined;
  readonly seed?: number | undefined;
  readonly repeat: number;
  readonly bail: boolean;
  /** Red cases are reported as they are, without being repeated alone. */
  readonly provisional: boolean;
  /** Unstable cases do not keep the run from being green. */
  readonly allowUnstable: boolean;
  /** What was seen of every case is kept, not only of those that did not go well. */
  readonly evidence?: boolean | undefined;
  readonly workers?: number | undefined;
  /** Clients speak HTTP/2 wherever a case does not say which version they speak. */
  readonly http2?: boolean | undefined;
  /** Dialect file instead of the one the manifest names. */
  readonly dialect?: string | undefined;
  /** Known-failures file; that of the manifest when absent, none when false. */
  readonly known?: string | false | undefined;
  /** `YYYY-MM-DD`, for entries that expire. */
  readonly today: string;
  readonly out: string;
  readonly reporters: readonly Reporter[];
  /** Folder for counterexamples of properties, written as cases; nothing is written when absent. */
  readonly regressions?: string | undefined;
  /** Somebody attends the run: nothing has a limit, and cases run one by one. */
  readonly attendant?: Attendant | undefined;
  /** Aborted by Ctrl-C or a fault of the runner; the reason becomes the report's `cutShort`. */
  readonly stop: AbortSignal;
}
