import type { CaseResult } from '../schedule/case-result.ts';
import type { WorkersTale } from '../schedule/workers.ts';
import type { ImplementationInfo } from '../sut/session.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { RunTime } from './run-time.ts';

/** What is known when a run begins. */
export interface RunStart {
  readonly implementation: ImplementationInfo;
  readonly manifest: string;
  /** What the names of everything begin with that this run makes in a cluster; undefined where it makes nothing in one. */
  readonly namespaces?: string;
  /** What the user chose; a run of every case is `whole`. */
  readonly selection?:
    | { readonly whole: boolean; readonly shard?: string; readonly division?: string | undefined }
    | undefined;
  /** Somebody attended the run, so nothing had a limit. */
  readonly attended?: true;
  readonly seed: number;
  /** Number of results to come. */
  readonly total: number;
  /** Cases at the same time, at most. */
  readonly workers: number;
  /** Cases that run earlier than the seed says, because they are known to be slow on this machine. */
  readonly slowFirst: number;
}

/** A result, and when it came: the origin of performance.now() is the start of the process, so this is what a person waits. */
export interface TimedResult extends CaseResult {
  readonly sinceStartMs: number;
}

/** What is known when a run has ended, whichever way. */
export interface RunEnd extends RunStart {
  readonly results: readonly CaseResult[];
  readonly durationMs: number;
  readonly summary: Summary;
  readonly exitCode: number;
  /** Why the run ended before its last case. */
  readonly cutShort?: string | undefined;
  /** What is wrong with the list of known failures, a line for each entry; such a run is red. */
  readonly problems?: readonly string[];
  /** Crashes of the implementation. */
  readonly crashes: number;
  /** Milliseconds from the start of the process to the first verdict. */
  readonly firstVerdictMs?: number | undefined;
  /** How many cases ran at the same time. */
  readonly parallel: WorkersTale;
  /** What the machine did to the limits. */
  readonly time: RunTime;
}

/** A number for every verdict. */
export type Summary = Readonly<Record<Verdict, number>>;

/** A clause of the register as failures print it. */
export interface ClauseText {
  readonly statement: string;
  /** `CFG line 319`. */
  readonly source: string;
}

/** Takes part in a run and tells somebody about it. The members are called in this order; `ended` always. */
export interface Reporter {
  readonly started?: (run: RunStart) => void;
  readonly finished?: (result: CaseResult, done: number) => void;
  /** So many results are held back and repeated, each alone. */
  readonly repeating?: (count: number) => void;
  readonly ended: (run: RunEnd) => Promise<void> | void;
}

/** What a part of a text is for the reader; a terminal may colour it. */
export type Style = 'bad' | 'good' | 'quote' | 'faint' | 'command';
export type Paint = (style: Style, text: string) => string;

/** Where reports go unless told otherwise. */
export const DEFAULT_OUT = 'reports/latest';

/** What reporters work with. */
export interface ReporterOptions {
  /** Folder for files; it exists when `ended` is called. */
  readonly out: string;
  readonly write: (text: string) => void;
  /** Lines may be written over. */
  readonly terminal: boolean;
  readonly columns: number;
  readonly verbose: boolean;
  readonly paint?: Paint;
  readonly clause: (id: string) => ClauseText | undefined;
  /** What to add to `conform run` so that a case runs the same way again. */
  readonly again: string;
}

/** A kind of report. Adding one is one file and one row in registry.ts. */
export interface ReporterKind {
  readonly name: string;
  readonly text: string;
  readonly create: (options: ReporterOptions) => Reporter;
}
