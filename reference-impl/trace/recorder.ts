import type { Clock } from '../base/clock.ts';
import type { Severity, TraceEvent, TraceMessage } from './events.ts';
import { severityOf } from './severity.ts';

/** Where the proxy writes what happened to one request. The default discards. */
export interface Recorder {
  /** False for the discarding recorder: build no snapshot nobody reads. */
  readonly active: boolean;
  readonly emit: (message: TraceMessage, more?: More) => void;
  /** The traced request is complete: nothing follows (TRACE-058). Safe to call more than once. */
  readonly finish: () => void;
}

/** What the sender of a message may add. */
export interface More {
  readonly severity?: Severity;
  /** Monotonic milliseconds; makes the event one with a duration (TRACE-016). */
  readonly startedAt?: number;
  /** Absent, or not empty. */
  readonly scope?: readonly string[];
}

export const DISCARD: Recorder = { active: false, emit: () => {}, finish: () => {} };

/** Who reads one trace. Both functions return at once and never throw. */
export interface TraceSink {
  readonly event: (event: TraceEvent) => void;
  /** Called exactly once, after the last event. */
  readonly finished: () => void;
}

/** A recorder whose offsets count from this call, in whole microseconds of the monotonic clock. */
export function createRecorder(sink: TraceSink, clock: Clock): Recorder {
  const attachedAt = clock.monotonic();
  const offset = (moment: number): number => Math.max(0, Math.round((moment - attachedAt) * 1000));
  let latest = 0;
  let finished = false;

  return {
    active: true,
    emit: (message, more) => {
      if (finished) return;
      // TRACE-018: a late report, such as a body seen after the answer, never goes back in time.
      latest = Math.max(latest, offset(clock.monotonic()));
      sink.event({
        eventStart: more?.startedAt === undefined ? null : Math.min(latest, offset(more.startedAt)),
        eventEnd: latest,
        severity: more?.severity ?? severityOf(message),
        ...(more?.scope === undefined ? {} : { scope: more.scope }),
        message,
      });
    },
    finish: () => {
      if (finished) return;
      finished = true;
      sink.finished();
    },
  };
}
