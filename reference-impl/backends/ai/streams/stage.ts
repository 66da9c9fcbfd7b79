import type { Cancellation } from '../../../base/cancellation.ts';
import type { LlmCall } from '../call/llm-call.ts';
import type { StreamEvent } from './stream-event.ts';

/** One station on the way of a stream: events go in, and those for the next station come out when they may. */
export interface Stage {
  /** Whether other events may come out than went in. A stream that no stage changes passes byte for byte. */
  readonly changes: boolean;
  readonly push: (events: readonly StreamEvent[]) => Passed;
  /** The provider says nothing more: everything that is left. */
  readonly end: (ending: Ending) => Passed;
  /** Whether the client has its last event, whatever the provider goes on to say. */
  readonly isOver?: () => boolean;
}

/** What comes out; a stage that only watches keeps nobody waiting. */
export type Passed = readonly StreamEvent[] | Promise<readonly StreamEvent[]>;

/** How a stream ended: as it should, in the middle, or with what makes the rest of it unreadable. */
export type Ending = 'whole' | 'broken off' | { readonly unreadable: string };

/** The stations of one stream, in order, and whose they are. */
export interface Way {
  readonly stages: readonly Stage[];
  readonly call: LlmCall;
  readonly cancellation: Cancellation;
}

/** A stage that looks at each event and changes none. */
export function watching(look: (event: StreamEvent) => void): Stage {
  return {
    changes: false,
    push: (events) => {
      for (const event of events) look(event);
      return events;
    },
    end: () => NOTHING,
  };
}

export const NOTHING: readonly StreamEvent[] = [];

/**
 * Events through all stages, one after the other; with an ending nothing stays behind. At once, unless a stage waits: nearly
 * every piece of a stream passes here, and most stages only watch.
 */
export function throughStages(stages: readonly Stage[], arrived: readonly StreamEvent[], ending?: Ending): Passed {
  let passed: Passed = arrived;
  for (const stage of stages)
    passed =
      passed instanceof Promise
        ? passed.then((events) => throughStage(stage, events, ending))
        : throughStage(stage, passed, ending);
  return passed;
}

function throughStage(stage: Stage, arrived: readonly StreamEvent[], ending: Ending | undefined): Passed {
  const passed = stage.push(arrived);
  if (ending === undefined) return passed;
  return passed instanceof Promise
    ? passed.then((events) => withLeft(events, stage.end(ending)))
    : withLeft(passed, stage.end(ending));
}

function withLeft(events: readonly StreamEvent[], left: Passed): Passed {
  return left instanceof Promise ? left.then((more) => [...events, ...more]) : [...events, ...left];
}
