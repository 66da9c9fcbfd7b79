import type { Listened } from '../exchange/exchange.ts';
import { RequestRecord, type TraceContext } from '../exchange/request-record.ts';
import { rememberRoots, requestVariables } from '../exchange/request-state.ts';
import { compiledFrontend, type CompiledTracing } from './compile-frontend.ts';
import { isSampled } from './sampling.ts';
import type { Telemetry } from './telemetry.ts';
import { beginSpan, readTraceparent } from './trace-context.ts';

/** The request with what is noted about it; the same where nobody will be told anything. Decides whether it is sampled. */
export function withRecord(listened: Listened, telemetry: Telemetry | undefined, random: () => number): Listened {
  if (telemetry === undefined) return listened;
  const frontend = compiledFrontend(listened.listener.frontend);
  if (frontend === undefined && telemetry.metrics === undefined) return listened;
  const context = frontend?.tracing && sample(listened, frontend.tracing, random);
  // A request that is not sampled is told to nobody who only hears of spans.
  if (context === undefined && frontend?.accessLog === undefined && telemetry.metrics === undefined) return listened;
  return { ...listened, record: new RequestRecord(listened.request, context, listened.clock) };
}

function sample(listened: Listened, { sampling }: CompiledTracing, random: () => number): TraceContext | undefined {
  const { headers } = listened.request;
  const client = readTraceparent(headers);
  const variables = rememberRoots(requestVariables(listened));
  return isSampled(sampling, client !== undefined, variables, random) ? beginSpan(client, headers) : undefined;
}
