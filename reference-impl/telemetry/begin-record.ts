import type { ListenerView } from '../attachment/view.ts';
import type { Listened, Received } from '../exchange/exchange.ts';
import { RequestRecord, type TraceContext } from '../exchange/request-record.ts';
import { rememberRoots, requestVariables } from '../exchange/request-state.ts';
import { compiledFrontend, type CompiledTracing } from './compile-frontend.ts';
import { isSampled } from './sampling.ts';
import type { Telemetry } from './telemetry.ts';
import { beginSpan, readTraceparent } from './trace-context.ts';

/** What a request is recorded with. */
export interface Recording {
  /** Undefined where nobody is told anything. */
  readonly telemetry?: Telemetry | undefined;
  readonly random: () => number;
}

/** The request at its listener, with what is noted about it where somebody will be told. Decides whether it is sampled. */
export function listenedBy(received: Received, listener: ListenerView, recording: Recording): Listened {
  const record = beginRecord(received, listener, recording);
  return record === undefined ? { ...received, listener } : { ...received, listener, record };
}

function beginRecord(
  received: Received,
  listener: ListenerView,
  { telemetry, random }: Recording,
): RequestRecord | undefined {
  if (telemetry === undefined) return undefined;
  const frontend = compiledFrontend(listener.frontend);
  if (frontend === undefined && telemetry.metrics === undefined) return undefined;
  const context = frontend?.tracing && sample(received, listener, frontend.tracing, random);
  // A request that is not sampled is told to nobody who only hears of spans.
  if (context === undefined && frontend?.accessLog === undefined && telemetry.metrics === undefined) return undefined;
  return new RequestRecord(received.request, context, received.clock);
}

function sample(
  received: Received,
  listener: ListenerView,
  { sampling }: CompiledTracing,
  random: () => number,
): TraceContext | undefined {
  const { headers } = received.request;
  const client = readTraceparent(headers);
  // Most expressions of this kind name nothing of the request.
  const variables = rememberRoots((root) => {
    const listened: Listened = { ...received, listener };
    return requestVariables(listened)(root);
  });
  return isSampled(sampling, client !== undefined, variables, random) ? beginSpan(client, headers) : undefined;
}
