import type { Targeted } from '../exchange/exchange.ts';
import { withTraceparent } from './trace-context.ts';

/** OTEL-001: what is sent to a backend for a sampled request names the span of that call, so that the backend's is its child. */
export function withTrace(exchange: Targeted): Targeted {
  const { record, request } = exchange;
  if (record?.trace === undefined) return exchange;
  return { ...exchange, request: withTraceparent(request, record.trace, record.announceCall()) };
}
