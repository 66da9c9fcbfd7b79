import { Span_SpanKind, Status_StatusCode } from '../wire/gen/otlp_pb.js';
import type {
  AnyValue,
  InstrumentationScope,
  KeyValue,
  LogRecord,
  Resource,
  Span,
  Span_Event,
  Span_Link,
} from '../wire/gen/otlp_pb.js';
import type { ExportLogsServiceRequest } from '../wire/gen/otlp_logs_pb.js';
import type { ExportTraceServiceRequest } from '../wire/gen/otlp_trace_pb.js';

/** One record or span as a case sees it: plain data. Ids are hexadecimal, moments are nanoseconds as text. */
export type RecordView = Readonly<Record<string, unknown>>;

/** Every log record of an export, with the resource and the scope it stands under. */
export function logRecords({ resourceLogs }: ExportLogsServiceRequest): readonly RecordView[] {
  return resourceLogs.flatMap(({ resource, scopeLogs }) =>
    scopeLogs.flatMap(({ scope, logRecords: records }) =>
      records.map((record) => ({ ...surroundings(resource, scope), ...viewOfLog(record) })),
    ),
  );
}

/** Every span of an export, likewise. */
export function spans({ resourceSpans }: ExportTraceServiceRequest): readonly RecordView[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans: list }) =>
      list.map((span) => ({ ...surroundings(resource, scope), ...viewOfSpan(span) })),
    ),
  );
}

function surroundings(resource: Resource | undefined, scope: InstrumentationScope | undefined): RecordView {
  return {
    resource: attributesOf(resource?.attributes ?? []),
    scope: {
      name: scope?.name ?? '',
      version: scope?.version ?? '',
      attributes: attributesOf(scope?.attributes ?? []),
    },
  };
}

function viewOfLog(record: LogRecord): RecordView {
  return {
    time: String(record.timeUnixNano),
    observedTime: String(record.observedTimeUnixNano),
    severityNumber: record.severityNumber,
    severityText: record.severityText,
    body: valueOf(record.body),
    attributes: attributesOf(record.attributes),
    repeated: repeatedKeys(record.attributes),
    traceId: hex(record.traceId),
    spanId: hex(record.spanId),
    flags: record.flags,
    eventName: record.eventName,
  };
}

function viewOfSpan(span: Span): RecordView {
  return {
    name: span.name,
    // Proto3 keeps numbers of enumerations it does not know.
    kind: Span_SpanKind[span.kind] ?? span.kind,
    traceId: hex(span.traceId),
    spanId: hex(span.spanId),
    parentSpanId: hex(span.parentSpanId),
    traceState: span.traceState,
    flags: span.flags,
    start: String(span.startTimeUnixNano),
    end: String(span.endTimeUnixNano),
    nanoseconds: Number(span.endTimeUnixNano - span.startTimeUnixNano),
    attributes: attributesOf(span.attributes),
    repeated: repeatedKeys(span.attributes),
    events: span.events.map(viewOfEvent),
    links: span.links.map(viewOfLink),
    status: {
      code: Status_StatusCode[span.status?.code ?? 0] ?? span.status?.code,
      message: span.status?.message ?? '',
    },
  };
}

function viewOfEvent({ name, timeUnixNano, attributes }: Span_Event): RecordView {
  return { name, time: String(timeUnixNano), attributes: attributesOf(attributes) };
}

function viewOfLink({ traceId, spanId, traceState, attributes, flags }: Span_Link): RecordView {
  return { traceId: hex(traceId), spanId: hex(spanId), traceState, attributes: attributesOf(attributes), flags };
}

function attributesOf(pairs: readonly KeyValue[]): RecordView {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]));
}

/** Keys that stand there more than once, which the protocol forbids. */
function repeatedKeys(pairs: readonly KeyValue[]): readonly string[] {
  const seen = new Set<string>();
  return pairs.flatMap(({ key }) => (seen.has(key) ? [key] : (seen.add(key), [])));
}

/** Null for a value that says nothing. */
function valueOf(any: AnyValue | undefined): unknown {
  const held = any?.value ?? { case: undefined };
  if (held.case === undefined) return null;
  if (held.case === 'intValue') return Number(held.value);
  if (held.case === 'arrayValue') return held.value.values.map(valueOf);
  if (held.case === 'kvlistValue') return attributesOf(held.value.values);
  if (held.case === 'bytesValue') return { base64: Buffer.from(held.value).toString('base64') };
  return held.value;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
