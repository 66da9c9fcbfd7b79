import { UsageFault } from '../sut/session.ts';
import { eventSchema, type RunEvent } from './event-schema.ts';
import type { ReportFile } from './report-schema.ts';
import { summarize } from './summary.ts';

type Event<Name extends RunEvent['event']> = Extract<RunEvent, { event: Name }>;

/** Exit code of a run that never said how it ended: broken, since unfinished work is never green. */
const BROKEN = 3;

/**
 * The report that the lines of `events.ndjson` tell, in the order of ids. A run that was killed has no last event: what was judged is kept,
 * and the report says that it was cut short. Throws UsageFault for a line that is no event, and for a file without a first event.
 */
export function reportFromEvents(text: string, file: string): ReportFile {
  const events = eventsOf(text, file);
  const [first] = events;
  if (first?.event !== 'started') throw new UsageFault(`${file}:1: the first event is not "started"`);
  const { event: _, total, workers, ...start } = first;
  const cases = events.flatMap((event) => (event.event === 'finished' ? [event.case] : []));
  const last = events.findLast((event) => event.event === 'ended');
  const { event: __, ...end } = last ?? endOfKilled(events, { total, workers });
  return {
    ...start,
    ...end,
    cases: cases.toSorted((one, other) => (one.id < other.id ? -1 : Number(one.id > other.id))),
  };
}

function eventsOf(text: string, file: string): readonly RunEvent[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    // The line that a killed process was writing.
    if (line === '' || (index === lines.length - 1 && jsonOf(line) === undefined)) return [];
    const read = eventSchema.safeParse(jsonOf(line));
    if (read.success) return [read.data];
    const [issue] = read.error.issues;
    throw new UsageFault(
      `${file}:${index + 1}: is no event of a run: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    );
  });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function endOfKilled(
  events: readonly RunEvent[],
  { total, workers }: { readonly total: number; readonly workers: number },
): Event<'ended'> {
  const finished = events.flatMap((event) => (event.event === 'finished' ? [event] : []));
  return {
    event: 'ended',
    durationMs: finished.at(-1)?.sinceStartMs ?? 0,
    exitCode: BROKEN,
    cutShort: `the run was ended before it could say how (${finished.length} of ${total} cases have a verdict)`,
    crashes: 0,
    workers: { most: workers, least: workers, by: 'machine' },
    time: {
      stretch: 1,
      overtimes: 0,
      lostMs: { runner: 0, programs: 0, machine: 0, heartbeat: 0 },
      waitedMs: 0,
      countedMs: 0,
    },
    summary: summarize(finished.map((event) => event.case)),
    clauses: {},
  };
}
