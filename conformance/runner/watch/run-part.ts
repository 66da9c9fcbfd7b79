import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readReport } from '../report/read-report.ts';
import { startChild } from '../sut/child.ts';
import { packageRoot } from '../values/package-root.ts';
import { START_ROOM } from '../values/start-room.ts';
import { EXIT } from '../verdict/exit-code.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { Part } from './choose.ts';

/** How `conform run` is called, apart from which cases. */
export interface RunCall {
  readonly patterns: readonly string[];
  /** Options that every part has. */
  readonly options: readonly string[];
  /** Options that choose cases; a part that names its cases does without them. */
  readonly choosing: readonly string[];
  readonly out: string;
  /** Takes what the run prints, line by line. */
  readonly print: (line: string) => void;
  /** Lines are for a terminal, which shows colours. */
  readonly colours: boolean;
}

/** What a run came to; without verdicts when nothing was judged. */
export interface PartEnd {
  readonly verdicts: readonly { readonly id: string; readonly verdict: Verdict }[];
  readonly end: string;
  /** A mistake in the cases, the manifest or the options, which the run has printed. */
  readonly mistaken: boolean;
}

/** Long enough for a proxy that answers what is under way before it ends. */
const STOP_MS = 20_000;

/**
 * Runs a part as a process of its own, which reads everything anew: the suite too may have changed. When it is cut short it ends as by
 * Ctrl-C.
 */
export async function runPart(part: Part, call: RunCall, cut: AbortSignal): Promise<PartEnd> {
  const { patterns, options, choosing, out, print, colours } = call;
  const which = 'ids' in part ? part.ids : [...patterns, ...choosing, ...part.skip.flatMap((id) => ['--skip', id])];
  // A report that is there when the run has ended is its own.
  await rm(path.join(out, 'report.json'), { force: true });
  const program = path.join(packageRoot(), 'bin/conform.mjs');
  const child = startChild([process.execPath, ...START_ROOM, program, 'run', ...options, '--out', out, ...which], {
    cwd: process.cwd(),
    env: colours ? { FORCE_COLOR: '1' } : {},
  });
  child.onLine(print);
  const end = (): void => void child.stop('SIGINT', STOP_MS);
  cut.addEventListener('abort', end, { once: true });
  if (cut.aborted) end();
  const ended = await child.ended;
  await child.drained;
  cut.removeEventListener('abort', end);
  return { verdicts: verdictsIn(out), end: ended, mistaken: ended === `exited with code ${EXIT.usage}` };
}

function verdictsIn(out: string): PartEnd['verdicts'] {
  try {
    return readReport(out).cases.map(({ id, verdict }) => ({ id, verdict }));
  } catch {
    // No report: the run has said why.
    return [];
  }
}
