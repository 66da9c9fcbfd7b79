import type { HeaderMap } from '../base/headers.ts';
import { newSpanId, newTraceId, type TraceContext } from '../exchange/request-record.ts';
import type { Request } from '../exchange/exchange.ts';

/** What a client says about its trace. */
export interface ClientTrace {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits; the last bit says that the client recorded its span. */
  readonly flags: string;
}

/**
 * The trace a request carries: one `traceparent` of the form of W3C Trace Context, ids not all zeros. Undefined without
 * one, and for one that is malformed or came twice, which the standard has treated as absent.
 */
export function readTraceparent(headers: HeaderMap): ClientTrace | undefined {
  const text = headers.get('traceparent');
  if (text === undefined || headers.getAll('traceparent').length > 1) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', more = ''] = FORM.exec(text.trim()) ?? [];
  if (version === '' || version === 'ff' || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  // Later versions may say more behind what is known; the first does not.
  if (version === '00' && more !== '') return undefined;
  return { traceId, spanId, flags };
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0*$/;

/** The span of a sampled request: in the trace of its client, or the first of a new one. */
export function beginSpan(client: ClientTrace | undefined, headers: HeaderMap): TraceContext {
  if (client === undefined) {
    return { traceId: newTraceId(), spanId: newSpanId(), parentSpanId: undefined, state: undefined };
  }
  const state = headers.getAll('tracestate').join(',');
  return {
    traceId: client.traceId,
    spanId: newSpanId(),
    parentSpanId: client.spanId,
    state: state === '' ? undefined : state,
  };
}

/** The request as a span of the trace sends it; whoever gets it learns that the trace is recorded. */
export function withTraceparent(request: Request, { traceId, parentSpanId }: TraceContext, spanId: string): Request {
  const headers = request.headers.set('traceparent', `00-${traceId}-${spanId}-01`);
  // The state belongs to the trace it came with.
  return { ...request, headers: parentSpanId === undefined ? headers.remove('tracestate') : headers };
}
