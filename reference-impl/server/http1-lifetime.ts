import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { parseDuration } from '../base/duration.ts';
import type { FrontendHTTP } from '../resources/proxy-policy/fields/frontend-http.ts';

/** How long a connection of HTTP/1 goes on. */
export interface Lifetime {
  /** A request has begun: until its answer is out the connection does not idle, however long that takes. */
  readonly begin: () => void;
  /** The answer to it is out. */
  readonly answered: (response: ServerResponse) => void;
  /** Whether the answer under way is the last one, and ought to say so. */
  readonly isOver: () => boolean;
  /** Ends the connection: at once where nothing is under way, else with the answer. */
  readonly end: () => void;
  /** The connection goes on with another protocol, as another one. */
  readonly stop: () => void;
}

/** Milliseconds; undefined is without end. */
export interface LifetimeLimits {
  readonly idle: number;
  readonly age: number | undefined;
}

/** What the policy of the port says. `usualIdle` is the default of http1IdleTimeout. */
export function lifetimeLimits(
  { http1IdleTimeout = '', maxConnectionDuration = '' }: FrontendHTTP,
  usualIdle: number,
): LifetimeLimits {
  return { idle: parseDuration(http1IdleTimeout) ?? usualIdle, age: parseDuration(maxConnectionDuration) };
}

/** Ends a connection that idles or is old. A request under way keeps it: its answer comes first. docs/decisions/front-door.md */
export function endInTime(socket: Socket, { idle, age }: LifetimeLimits, clock: Clock): Lifetime {
  let underWay = false;
  /** What had been read when the last answer was out: with more than that the next request has begun to come. */
  let readBefore = -1;
  let readAtLook = socket.bytesRead;
  let idleSince = clock.monotonic();
  let over = false;

  const close = (): void => {
    socket.destroySoon();
  };
  const end = (): void => {
    over = true;
    if (!underWay && socket.bytesRead === readBefore) close();
  };

  // FRONT-021, FRONT-022: one look where the connection would end if nothing happened any more, instead of a timer for each request.
  const look = (): void => {
    if (underWay || socket.bytesRead !== readAtLook) idleSince = Math.max(idleSince, clock.monotonic());
    readAtLook = socket.bytesRead;
    const left = idleSince + idle - clock.monotonic();
    if (left <= 0) close();
    else stopLooking = clock.after(left, look);
  };
  let stopLooking = clock.after(idle, look);
  // FRONT-035
  const stopAging = age === undefined ? undefined : clock.after(age, end);

  const stop = (): void => {
    stopLooking();
    stopAging?.();
  };
  socket.once('close', stop);

  return {
    begin: () => {
      underWay = true;
    },
    answered: ({ shouldKeepAlive }) => {
      underWay = false;
      idleSince = clock.monotonic();
      readBefore = readAtLook = socket.bytesRead;
      // FRONT-036, FRONT-037: the answer was out before it could say that it is the last one.
      if (over && shouldKeepAlive) close();
    },
    isOver: () => over,
    end,
    stop,
  };
}
