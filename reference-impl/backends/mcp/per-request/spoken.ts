import type { McpTargetView } from '../../../attachment/view.ts';
import { lastingState } from '../../../credentials/services.ts';
import type { Asked } from '../asked.ts';

/** What a server was seen to speak: true, false, or undefined while nobody knows. */
export interface Spoken {
  readonly perRequest?: boolean | undefined;
  readonly sessions?: boolean | undefined;
}

/** What is known of a target, so that not every request tries both kinds of revisions. */
export function spokenBy(asked: Asked, target: McpTargetView): Spoken {
  const memory = memoryOf(asked.services, target);
  return memory.until > asked.exchange.clock.monotonic() ? memory.spoken : {};
}

/** Remembers what a target has just shown. */
export function remember(asked: Asked, target: McpTargetView, seen: Spoken): void {
  const memory = memoryOf(asked.services, target);
  memory.spoken = { ...spokenBy(asked, target), ...seen };
  memory.until = asked.exchange.clock.monotonic() + LIFETIME;
}

/** Milliseconds until it is tried again: servers are replaced by newer ones. */
const LIFETIME = 5 * 60 * 1000;

interface Memory {
  spoken: Spoken;
  /** `clock.monotonic()` at which nothing is known any more. */
  until: number;
}

const memoryOf = lastingState<McpTargetView, Memory>(() => ({ spoken: {}, until: -Infinity }));
