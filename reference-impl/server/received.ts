import type { View } from '../attachment/view.ts';
import type { Cancellation } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import type { Received, Request, Source } from '../exchange/exchange.ts';
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
  arrived: { readonly request: Request; readonly source: Source; readonly cancellation: Cancellation },
): Received {
  const untraced: Received = {
    ...arrived,
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
