import { Buffer } from 'node:buffer';
import type { Body } from '../base/body.ts';
import { recorded } from '../base/read-body.ts';
import { bufferLimit } from '../exchange/buffer-limit.ts';
import type { Answer, Received } from '../exchange/exchange.ts';
import { requestState } from '../exchange/request-state.ts';
import type { RequestStage, ResponseStage } from '../trace/events.ts';

/** Reports the request as it is now. Builds nothing when nobody traces. */
export function requestSnapshot(exchange: Received, stage: RequestStage): void {
  if (!exchange.trace.active) return;
  exchange.trace.emit({ type: 'requestSnapshot', stage, requestState: requestState(exchange) });
}

/** Reports the answer as it is now. */
export function responseSnapshot(exchange: Received, answer: Answer, stage: ResponseStage): void {
  if (!exchange.trace.active) return;
  exchange.trace.emit({ type: 'responseSnapshot', stage, requestState: requestState(exchange, answer) });
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
  const recording = recorded(body, bufferLimit(exchange), (kept) => {
    if (kept.byteLength === 0) return;
    const text = Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).toString('base64');
    exchange.trace.emit({ type: 'bodySnapshot', stage, body: text });
  });
  return { body: recording, flush: recording.flush };
}
