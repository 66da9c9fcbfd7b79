import { ProxyError } from '../base/proxy-error.ts';
import { whenOver } from '../base/when-over.ts';
import type { Answer, Targeted } from '../exchange/exchange.ts';
import { requestLimit } from '../exchange/request-limit.ts';

/** The end of the time that a request has. */
export interface Deadline {
  readonly start: () => void;
  readonly stop: () => void;
}

/**
 * TRAFFIC-004: the time from the start of sending to the complete response; undefined when there is no limit. When it
 * is over everything that still happens for the request is cancelled.
 */
export function requestDeadline({ rule, handover, clock, cancellation }: Targeted): Deadline | undefined {
  const { timeouts } = rule.postRouting;
  const limit = timeouts === undefined ? 0 : requestLimit(timeouts);
  if (limit === 0) return undefined;
  let stop: (() => void) | undefined;
  return {
    start: () => {
      // A further attempt has the time that the ones before it left.
      if (stop !== undefined) return;
      // DELAY-006: what a delay took is gone.
      stop = clock.after(limit - (handover.delay ?? 0), () => {
        cancellation.cancel(new ProxyError('requestTimeout', `no complete response within ${limit} ms`));
      });
    },
    stop: () => stop?.(),
  };
}

/** The answer, and an end to the deadline when it is complete or will not come. */
export async function within(deadline: Deadline, answering: Promise<Answer>): Promise<Answer> {
  try {
    const answer = await answering;
    if (answer.takeOver !== undefined) {
      // The response was complete with its head; what follows is another protocol.
      deadline.stop();
      return answer;
    }
    // TRAFFIC-005: the deadline ends with the body, not with the head.
    return { ...answer, body: whenOver(answer.body, deadline.stop) };
  } catch (error) {
    deadline.stop();
    throw error;
  }
}
