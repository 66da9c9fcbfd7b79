import { Buffer } from 'node:buffer';
import type { Body } from '../base/body.ts';
import { recordBody } from '../base/read-body.ts';
import { bodyLimit } from '../exchange/buffer-limit.ts';
import { credentialPlaces } from '../exchange/credential-places.ts';
import type { Answer, Received } from '../exchange/exchange.ts';
import { requestState } from '../exchange/request-state.ts';
import { withoutShownCredentials } from '../trace/credentials.ts';
import type { RequestStage, RequestState, ResponseStage } from '../trace/events.ts';

/** Reports the request as it is now. Builds nothing when nobody traces. */
export function requestSnapshot(exchange: Received, stage: RequestStage): void {
  if (!exchange.trace.active) return;
  exchange.trace.emit({ type: 'requestSnapshot', stage, requestState: shownState(exchange) });
}

/** Reports the answer as it is now. */
export function responseSnapshot(exchange: Received, answer: Answer, stage: ResponseStage): void {
  if (!exchange.trace.active) return;
  exchange.trace.emit({ type: 'responseSnapshot', stage, requestState: shownState(exchange, answer) });
}

/** A credential that a policy asks for is no secret to the policy, and one to whoever reads a trace. */
function shownState(exchange: Received, answer?: Answer): RequestState {
  return withoutShownCredentials(requestState(exchange, answer), credentialPlaces(exchange));
}

/** A body whose first bytes are reported as a bodySnapshot once it has passed. */
export interface WatchedBody {
  readonly body: Body | undefined;
  /** Reports now what has passed so far, unless it was reported already. */
  readonly flush: () => void;
}

/**
 * TRACE-048, TRACE-049, TRACE-054, TRACE-055: reported only when there were bytes. TRACE-080, TRACE-093: cut at the
 * buffer limit. The body is never delayed.
 */
export function watchBody(
  exchange: Received,
  body: Body | undefined,
  stage: 'final request' | 'response',
): WatchedBody {
  if (!exchange.trace.active || body === undefined) return { body, flush: () => {} };
  const recording = recordBody(body, bodyLimit(exchange, stage === 'response' ? 'response' : 'request'), (kept) => {
    if (kept.byteLength === 0) return;
    const text = Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).toString('base64');
    exchange.trace.emit({ type: 'bodySnapshot', stage, body: text });
  });
  return { body: recording, flush: recording.flush };
}
