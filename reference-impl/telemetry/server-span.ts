import { credentialPlaces } from '../exchange/credential-places.ts';
import type { CredentialPlaces } from '../trace/credentials.ts';
import type { CallNote, TraceContext } from '../exchange/request-record.ts';
import { editAttributes, type Attribute, type AttributeEdits } from './attributes.ts';
import type { Entry } from './entry.ts';
import { clientAttributes, clientName, serverAttributes, serverName, SPAN_NAME } from './names/spans.ts';

/** A span before it is encoded. Moments are milliseconds of the wall clock, with fractions. */
export interface SpanData {
  readonly context: TraceContext;
  readonly name: string;
  readonly kind: 'SERVER' | 'CLIENT';
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: readonly Attribute[];
  /** Set where it ended in a failure. */
  readonly error: string | undefined;
}

/** OTEL-001: the span of a request, and one for each call that was made for it. */
export function spansOf(entry: Entry, context: TraceContext, edits: AttributeEdits): readonly SpanData[] {
  const { record, exchange, duration, answer, error } = entry;
  const edited = editAttributes(serverAttributes(entry), edits, entry.variables);
  const name = edited.find(([key]) => key === SPAN_NAME)?.[1];
  const startedAt = record.arrivedAt ?? 0;
  const server: SpanData = {
    context,
    name: typeof name === 'string' && name !== '' ? name : serverName(entry),
    kind: 'SERVER',
    startedAt,
    endedAt: startedAt + duration,
    attributes: edited.filter(([key]) => key !== SPAN_NAME),
    error: error ?? (answer.status >= 500 ? `status ${answer.status}` : undefined),
  };
  const wallOf = (monotonic: number): number => startedAt + (monotonic - exchange.startedAt);
  const places = credentialPlaces(exchange);
  return [server, ...record.calls.map((call) => clientSpan(call, context, { wallOf, places }))];
}

function clientSpan(
  call: CallNote,
  { traceId, spanId, state }: TraceContext,
  { wallOf, places }: { readonly wallOf: (monotonic: number) => number; readonly places: CredentialPlaces },
): SpanData {
  return {
    context: { traceId, spanId: call.spanId, parentSpanId: spanId, state },
    name: clientName(call),
    kind: 'CLIENT',
    startedAt: wallOf(call.startedAt),
    endedAt: wallOf(call.endedAt),
    attributes: clientAttributes(call, places),
    error: call.error ?? undefined,
  };
}
