import type { View } from '../attachment/view.ts';
import type { Clock } from '../base/clock.ts';
import type { Received } from '../exchange/exchange.ts';
import { requestVariables } from '../exchange/request-state.ts';
import { DISCARD } from '../trace/recorder.ts';
import type { Watchers } from '../trace/watchers.ts';

/** What a port brings to each of its requests. */
export interface Reception {
  readonly port: number;
  /** The configuration of the moment. */
  readonly view: () => View;
  readonly clock: Clock;
  readonly watchers: Watchers;
}

/** A request as it enters the pipeline, with the configuration of this moment; traced if somebody waits for it. */
export function receivedBy(
  { port, view, clock, watchers }: Reception,
  arrived: Pick<Received, 'request' | 'source' | 'cancellation' | 'hint'>,
): Received {
  const untraced: Received = {
    ...arrived,
    hint: arrived.hint && upTo(MOST_HINTS, arrived.hint),
    asked: arrived.request,
    port,
    facts: {},
    handover: {},
    view: view(),
    clock,
    startedAt: clock.monotonic(),
    trace: DISCARD,
  };
  if (!watchers.waiting()) return untraced;
  const { request, source } = arrived;
  const variables = requestVariables(untraced);
  return { ...untraced, trace: watchers.recorderFor({ port, host: request.authority, source, variables }) };
}

/** Of one request. A backend that never gets to its answer shall not fill the connection of a client who does not read. */
const MOST_HINTS = 32;

function upTo(most: number, hint: NonNullable<Received['hint']>): NonNullable<Received['hint']> {
  let left = most;
  return (links) => {
    left -= 1;
    if (left >= 0) hint(links);
  };
}
