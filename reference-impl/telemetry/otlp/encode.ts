import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { isTimeValue } from '../../cel/values.ts';
import { ExportLogsServiceRequestSchema, type ExportLogsServiceRequest } from '../../upstream/wire/otlp_logs_pb.js';
import {
  type AnyValueSchema,
  type KeyValueSchema,
  type LogRecordSchema,
  type SpanSchema,
  Span_SpanKind,
  Status_StatusCode,
} from '../../upstream/wire/otlp_pb.js';
import { ExportTraceServiceRequestSchema, type ExportTraceServiceRequest } from '../../upstream/wire/otlp_trace_pb.js';
import type { Attribute } from '../attributes.ts';
import type { SpanData } from '../server-span.ts';

/** A log entry before it is encoded. */
export interface LogData {
  /** Wall clock in milliseconds. */
  readonly at: number;
  readonly attributes: readonly Attribute[];
  readonly traceId: string;
  readonly spanId: string;
}

/** Who speaks: OTEL-006. */
export type ResourceAttributes = readonly Attribute[];

/** The message that carries log entries. */
export function logsRequest(entries: readonly LogData[], resource: ResourceAttributes): ExportLogsServiceRequest {
  return create(ExportLogsServiceRequestSchema, {
    resourceLogs: [
      {
        resource: { attributes: toPairs(resource) },
        scopeLogs: [{ scope: { name: 'request' }, logRecords: entries.map(toLogRecord) }],
      },
    ],
  });
}

/** The message that carries spans. */
export function traceRequest(spans: readonly SpanData[], resource: ResourceAttributes): ExportTraceServiceRequest {
  return create(ExportTraceServiceRequestSchema, {
    resourceSpans: [
      {
        resource: { attributes: toPairs(resource) },
        scopeSpans: [{ scope: { name: 'refproxy' }, spans: spans.map(toSpan) }],
      },
    ],
  });
}

const INFO = 9;

function toLogRecord({ at, attributes, traceId, spanId }: LogData): MessageInitShape<typeof LogRecordSchema> {
  return {
    timeUnixNano: nanoseconds(at),
    observedTimeUnixNano: nanoseconds(at),
    severityNumber: INFO,
    severityText: 'INFO',
    attributes: toPairs(attributes),
    traceId: Buffer.from(traceId, 'hex'),
    spanId: Buffer.from(spanId, 'hex'),
  };
}

/** That the trace is recorded, that it is known whether the parent is another program's, and that it is. */
const SAMPLED = 0x1;
const KNOWN_PARENT = 0x100;
const REMOTE_PARENT = 0x200;

function toSpan({
  context,
  name,
  kind,
  startedAt,
  endedAt,
  attributes,
  error,
}: SpanData): MessageInitShape<typeof SpanSchema> {
  const { traceId, spanId, parentSpanId = '', state = '' } = context;
  const isRemote = kind === 'SERVER' && parentSpanId !== '';
  return {
    traceId: Buffer.from(traceId, 'hex'),
    spanId: Buffer.from(spanId, 'hex'),
    parentSpanId: Buffer.from(parentSpanId, 'hex'),
    traceState: state,
    name,
    kind: kind === 'SERVER' ? Span_SpanKind.SERVER : Span_SpanKind.CLIENT,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: toPairs(attributes),
    flags: SAMPLED | KNOWN_PARENT | (isRemote ? REMOTE_PARENT : 0),
    status: error === undefined ? { code: Status_StatusCode.UNSET } : { code: Status_StatusCode.ERROR, message: error },
  };
}

function toPairs(attributes: readonly Attribute[]): MessageInitShape<typeof KeyValueSchema>[] {
  return attributes.map(([key, value]) => ({ key, value: toAny(value) }));
}

type Any = MessageInitShape<typeof AnyValueSchema>;

function toAny(value: unknown): Any {
  if (typeof value === 'string') return { value: { case: 'stringValue', value } };
  if (typeof value === 'boolean') return { value: { case: 'boolValue', value } };
  if (typeof value === 'number') return numberValue(value);
  if (typeof value === 'bigint') return bigValue(value);
  if (value instanceof Uint8Array) return { value: { case: 'bytesValue', value } };
  if (Array.isArray(value)) return { value: { case: 'arrayValue', value: { values: value.map(toAny) } } };
  if (isTimeValue(value)) return { value: { case: 'stringValue', value: value.toJSON() } };
  return typeof value === 'object' && value !== null ? listValue(value) : {};
}

function listValue(value: object): Any {
  const members: [string, unknown][] = Object.entries(value);
  const values = members.map(([key, member]) => ({ key, value: toAny(member) }));
  return { value: { case: 'kvlistValue', value: { values } } };
}

/** OTLP has no unsigned integer: what is too large for a signed one is told as a text, as OpenTelemetry has it, not as another number. */
function bigValue(value: bigint): Any {
  if (BigInt.asIntN(64, value) === value) return { value: { case: 'intValue', value } };
  return { value: { case: 'stringValue', value: String(value) } };
}

function numberValue(value: number): Any {
  if (Number.isSafeInteger(value)) return { value: { case: 'intValue', value: BigInt(value) } };
  return { value: { case: 'doubleValue', value } };
}

function nanoseconds(milliseconds: number): bigint {
  return BigInt(Math.round(milliseconds * 1000)) * 1000n;
}
