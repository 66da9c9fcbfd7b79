import { useRef, useState } from 'preact/hooks';
import { objectMember, stringMember } from '../../base/members.ts';
import { eventRow, type EventRow } from '../../trace/event-row.ts';
import { Refusal, sendRequest, watchRequest, type AskedRequest } from './api.ts';
import type { Header } from './header-lines.ts';
import type { SentEvent } from './read-events.ts';

/** The answer to a request that the page sent. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly Header[];
  /** Its first bytes, in base64. */
  readonly body: string;
  readonly cut: boolean;
}

export type Progress = 'idle' | 'sending' | 'waiting' | 'running' | 'complete' | 'cut' | 'stopped' | 'refused';

/** One trace. */
export interface Trace {
  readonly progress: Progress;
  readonly rows: readonly EventRow[];
  readonly answer: Answer | undefined;
  /** What went wrong, in words. */
  readonly problem: string;
  /** The expression that was asked for, when there was one. */
  readonly expression: string;
}

export interface Tracing extends Trace {
  readonly send: (asked: AskedRequest) => void;
  readonly watch: (expression: string) => void;
  readonly stop: () => void;
}

const NOTHING: Trace = { progress: 'idle', rows: [], answer: undefined, problem: '', expression: '' };

/** The trace that is looked at; a new one takes the place of the last. */
export function useTrace(): Tracing {
  const [trace, setTrace] = useState<Trace>(NOTHING);
  const leaving = useRef(new AbortController());

  const follow = async (
    start: Trace,
    open: (signal: AbortSignal) => AsyncGenerator<readonly SentEvent[]>,
  ): Promise<void> => {
    leaving.current.abort();
    const mine = new AbortController();
    leaving.current = mine;
    let now = start;
    const show = (next: Trace): void => {
      now = next;
      if (leaving.current === mine) setTrace(now);
    };
    show(start);
    try {
      for await (const events of open(mine.signal)) if (events.length > 0) show(events.reduce(take, now));
      show({ ...now, progress: isOver(now) ? 'complete' : 'cut' });
    } catch (error) {
      if (mine.signal.aborted) show({ ...now, progress: 'stopped' });
      else if (error instanceof Refusal) show({ ...now, progress: 'refused', problem: error.message });
      else show({ ...now, progress: 'cut', problem: 'the proxy cannot be reached' });
    }
  };

  return {
    ...trace,
    send: (asked) => void follow({ ...NOTHING, progress: 'sending' }, (signal) => sendRequest(asked, signal)),
    watch: (expression) =>
      void follow({ ...NOTHING, progress: 'waiting', expression }, (signal) => watchRequest(expression, signal)),
    stop: () => {
      leaving.current.abort();
    },
  };
}

function take(trace: Trace, { event, data }: SentEvent): Trace {
  if (event === 'failure') return { ...trace, problem: String(JSON.parse(data)) };
  if (event === 'answer') return { ...trace, answer: readAnswer(JSON.parse(data)) };
  return { ...trace, progress: 'running', rows: [...trace.rows, eventRow(data)] };
}

function readAnswer(value: unknown): Answer {
  const status = objectMember(value, 'status');
  const headers = objectMember(value, 'headers');
  return {
    status: typeof status === 'number' ? status : 0,
    reason: stringMember(value, 'reason') ?? '',
    headers: Array.isArray(headers) ? headers.map((pair) => [textAt(pair, 0), textAt(pair, 1)]) : [],
    body: stringMember(value, 'body') ?? '',
    cut: objectMember(value, 'cut') === true,
  };
}

function textAt(pair: unknown, index: number): string {
  return Array.isArray(pair) ? String(pair[index]) : '';
}

function isOver({ rows }: Trace): boolean {
  return rows.at(-1)?.type === 'requestFinished';
}
