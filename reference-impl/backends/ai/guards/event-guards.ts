import type { Format } from '../formats/format.ts';
import type { StreamEvent } from '../streams/stream-event.ts';
import { type Context, type Guard, GuardFailure, type Reject } from './guard.ts';
import { type Decision, heldEvents, OVERLAP, type Window } from './held-events.ts';
import { mask, type MaskRule, type Work } from './mask.ts';
import { rejectionText } from './rejection.ts';
import { mayPass } from './undecided.ts';
import { workBudget } from './work.ts';

/** One guard in the way of a stream: events go in, and come out when their text is judged. */
interface EventGuard {
  /** Rejects with a StreamBlocked. */
  readonly push: (events: readonly StreamEvent[]) => Promise<readonly StreamEvent[]>;
  /** Everything that is left. Rejects with a StreamBlocked. */
  readonly end: () => Promise<readonly StreamEvent[]>;
}

/** Events through all guards, one after the other; with `last` nothing stays behind. Rejects with a StreamBlocked. */
export type EventGuards = (events: readonly StreamEvent[], last: boolean) => Promise<readonly StreamEvent[]>;

/** The stream ends here; the message is for the client. */
export class StreamBlocked extends Error {
  override readonly name = 'StreamBlocked';
}

/** Bytes of new text that are worth a verdict. docs/decisions/prompt-guard.md */
const ENOUGH = 1024;
/** Characters of events that may wait, text or not. */
const MOST_HELD = 1024 * 1024;
/** Choices and blocks whose ends may wait; as many as the APIs have choices. What waits is looked at again with every verdict. */
const MOST_OPEN = 128;

export function eventGuards(guards: readonly Guard[], format: Format, context: Context): EventGuards {
  const work = workBudget(context.exchange.cancellation);
  const stages = guards.map((guard) => eventGuard(guard, format, { ...context, work }));
  return async (arrived, last) => {
    let events = arrived;
    for (const stage of stages) {
      const passed = await stage.push(events);
      events = last ? [...passed, ...(await stage.end())] : passed;
    }
    return events;
  };
}

interface Judging extends Context {
  readonly work: Work;
}

function eventGuard(guard: Guard, format: Format, context: Judging): EventGuard {
  const held = heldEvents(format);
  const decide = guard.masks === undefined ? verdicts(guard, context) : masks(guard.masks, context.work);

  const judged = async (last: boolean): Promise<readonly StreamEvent[]> => {
    const windows = held.windows();
    if (windows.length === 0) return held.release(new Map());
    try {
      return held.release(await decide(windows, last));
    } catch (error) {
      if (error instanceof StreamBlocked) throw error;
      if (mayPass(error, guard, context.exchange, true)) return held.release(leaveUnchanged(windows));
      throw new StreamBlocked(UNDECIDED);
    }
  };

  const hold = (event: StreamEvent): void => {
    try {
      held.add(event);
    } catch (error) {
      throw error instanceof GuardFailure ? new StreamBlocked(UNDECIDED) : error;
    }
  };

  return {
    push: async (events) => {
      const passed: StreamEvent[] = [];
      for (const event of events) {
        hold(event);
        if (held.size() > MOST_HELD || held.open() > MOST_OPEN) passed.push(...(await judged(true)));
      }
      passed.push(...(held.unjudged() >= ENOUGH ? await judged(false) : held.release(new Map())));
      return passed;
    },
    end: () => judged(true),
  };
}

const UNDECIDED = 'content blocked by guardrail policy';

type Decide = (windows: readonly Window[], last: boolean) => Promise<ReadonlyMap<Window, Decision>>;

/**
 * Hides matches. What stands at the end waits: the rest of a match may be on its way. What went before stays in view,
 * so that no match begins in the middle of a word.
 */
function masks(rules: readonly MaskRule[], work: Work): Decide {
  return async (windows, last) => {
    const decisions = windows.map(async (window) => {
      const { context, pending } = window;
      const { text, origins, hidden } = await mask(context + pending, rules, work);
      const whole = context.length + pending.length;
      const settled = last ? whole : beforeMatch(hidden, whole - OVERLAP);
      const written = (start: number, end: number): string => {
        const [from, to] = [start + context.length, end + context.length];
        if (origins === undefined) return text.slice(from, to);
        return text.slice(firstFrom(origins, from), firstFrom(origins, to));
      };
      return [window, { decided: settled - context.length, written }] as const;
    });
    return new Map(await Promise.all(decisions));
  };
}

/** `end`, or the beginning of what is hidden there. */
function beforeMatch(hidden: readonly { readonly start: number; readonly end: number }[], end: number): number {
  return hidden.find((span) => span.start < end && end < span.end)?.start ?? end;
}

/** The first character that comes from `position` or behind it; origins never go down, so half of them is left out each time. */
function firstFrom(origins: readonly number[], position: number): number {
  let [from, to] = [0, origins.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((origins[middle] ?? 0) < position) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Asks about everything that is held. What a guard masks is written where the text began. */
function verdicts(guard: Guard, context: Judging): Decide {
  return async (windows) => {
    const texts = windows.map((window) => ({ role: 'assistant', text: window.context + window.pending }));
    const verdict = await guard.check({ ...context, phase: 'response', texts });
    if (verdict.kind === 'pass') return leaveUnchanged(windows);
    if (verdict.kind === 'reject') throw blockBy(guard, verdict);
    return new Map(
      windows.map((window, index) => [window, rewriting(guard, window, verdict.texts[index]?.text ?? '')] as const),
    );
  };
}

function leaveUnchanged(windows: readonly Window[]): ReadonlyMap<Window, Decision> {
  return new Map(
    windows.map((window) => {
      const { pending } = window;
      return [window, { decided: pending.length, written: (start, end) => pending.slice(start, end) }] as const;
    }),
  );
}

function rewriting(guard: Guard, { context, pending }: Window, masked: string): Decision {
  // What the client has cannot be masked any more.
  if (!masked.startsWith(context)) throw blockBy(guard, { kind: 'reject' });
  let rest = masked.slice(context.length);
  const take = (): string => {
    const taken = rest;
    rest = '';
    return taken;
  };
  return { decided: pending.length, written: take };
}

function blockBy(guard: Guard, verdict: Reject): StreamBlocked {
  return new StreamBlocked(rejectionText(guard.response, verdict, 'response'));
}
