import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { perKey } from '../base/per-key.ts';

/** Tells that something of a client was refused, and why: in a text that no client chooses. */
export type Refused = (reason: string) => void;

/**
 * Refusals of one port in the log of the program. What is refused before it is a request of a listener stands in no access log: no policy
 * says anything about it yet. docs/decisions/front-door.md
 */
export function tellRefusals(
  message: 'connections closed' | 'requests refused',
  port: number,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Refused {
  const ofReason = perKey((reason) =>
    sparingly(clock, (refused) => {
      log.info(message, { port, refused, reason });
    }),
  );
  return (reason) => {
    ofReason(reason)();
  };
}

/** Tells how often something happened, at most once a second: a flood is no flood of lines. */
export function sparingly(clock: Clock, tell: (times: number) => void): () => void {
  let times = 0;
  let quietUntil = -Infinity;
  return () => {
    times += 1;
    if (clock.monotonic() < quietUntil) return;
    quietUntil = clock.monotonic() + 1000;
    tell(times);
    times = 0;
  };
}
