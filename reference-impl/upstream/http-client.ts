import type { Clock } from '../base/clock.ts';
import type { Call, Response } from './http-call.ts';
import { announcesTrailers, sendWithTrailers } from './http1-trailers.ts';
import { sendOverHttp1 } from './http1-transfer.ts';
import { createHttp2Sessions } from './http2-sessions.ts';
import { sendOverHttp2 } from './http2-transfer.ts';
import type { Connected } from './open-connection.ts';
import { createPools } from './pools.ts';

export interface HttpClient {
  /**
   * Resolves with the head; the body follows as it is read. Rejects with upstreamCallFailed, upstreamCallTimeout,
   * processingFailed (a message its version of HTTP cannot carry) or the reason of the cancellation.
   */
  readonly send: (call: Call) => Promise<Response>;
  readonly close: () => Promise<void>;
}

/** HTTP/1.1 and HTTP/2 over connections that are kept. A request is sent at most once. `connected` hears of connections that are opened. */
export function createHttpClient(clock: Clock, connected?: Connected): HttpClient {
  const dialer = { clock, connected };
  const pools = createPools(dialer);
  const sessions = createHttp2Sessions(dialer);
  return {
    send: (call) => {
      if (call.version === 'HTTP2') return sendOverHttp2(call, sessions, clock);
      if (announcesTrailers(call)) return sendWithTrailers(call, dialer);
      return sendOverHttp1(call, pools.poolFor(call.endpoint, call.dial), clock);
    },
    close: () => {
      sessions.close();
      return pools.close();
    },
  };
}
