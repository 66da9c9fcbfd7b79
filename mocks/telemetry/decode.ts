import { gunzipSync } from 'node:zlib';
import { fromBinary, fromJson, toBinary, toJson, create } from '@bufbuild/protobuf';
import type { DescMessage, JsonValue } from '@bufbuild/protobuf';
import { z } from 'zod';
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
  type ExportLogsServiceResponse,
} from '../wire/gen/otlp_logs_pb.js';
import {
  ExportTraceServiceRequestSchema,
  ExportTraceServiceResponseSchema,
  type ExportTraceServiceResponse,
} from '../wire/gen/otlp_trace_pb.js';
import { logRecords, spans, type RecordView } from './records.ts';
import type { Signal } from './script.ts';

/** The two forms a message has over HTTP. */
export type Form = 'application/x-protobuf' | 'application/json';

/** The form a content type names; undefined for any other. */
export function formOf(contentType: string | undefined): Form | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/x-protobuf' || type === 'application/json' ? type : undefined;
}

/** The bytes under a content coding; throws a RangeError for a coding nobody knows. */
export function decodeContent(body: Buffer, coding: string | undefined): Buffer {
  if (coding === undefined || coding === 'identity') return body;
  if (coding === 'gzip') return gunzipSync(body, { maxOutputLength: MOST_BYTES });
  throw new RangeError(`unknown content-encoding ${coding}`);
}

/** Bytes of one export. */
export const MOST_BYTES = 16 * 1024 * 1024;

/** The records of an export. Throws for bytes that are no such message. */
export function decodeExport(signal: Signal, form: Form, body: Buffer): readonly RecordView[] {
  if (signal === 'logs') return logRecords(decode(ExportLogsServiceRequestSchema, form, body));
  return spans(decode(ExportTraceServiceRequestSchema, form, body));
}

function decode<Schema extends DescMessage>(
  schema: Schema,
  form: Form,
  body: Buffer,
): ReturnType<typeof fromBinary<Schema>> {
  if (form === 'application/x-protobuf') return fromBinary(schema, body);
  const json = z.json().parse(JSON.parse(body.toString()));
  return fromJson(schema, withBase64Ids(json), { ignoreUnknownFields: true });
}

/** In JSON, OpenTelemetry writes ids in hexadecimal digits where protobuf would write base64. */
function withBase64Ids(value: JsonValue, key = ''): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withBase64Ids(item));
  if (typeof value === 'string' && IDS.has(key)) return Buffer.from(value, 'hex').toString('base64');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, withBase64Ids(inner, member)]));
}

const IDS: ReadonlySet<string> = new Set([
  'traceId',
  'spanId',
  'parentSpanId',
  'trace_id',
  'span_id',
  'parent_span_id',
]);

/** What a collector says when it has the logs, but for so many of them. */
export function logsTaken(rejected: number): ExportLogsServiceResponse {
  return create(
    ExportLogsServiceResponseSchema,
    rejected === 0 ? {} : { partialSuccess: { rejectedLogRecords: BigInt(rejected), errorMessage: 'rejected' } },
  );
}

/** The same for spans. */
export function spansTaken(rejected: number): ExportTraceServiceResponse {
  return create(
    ExportTraceServiceResponseSchema,
    rejected === 0 ? {} : { partialSuccess: { rejectedSpans: BigInt(rejected), errorMessage: 'rejected' } },
  );
}

/** That answer in the form the export had. */
export function takenBody(signal: Signal, form: Form, rejected: number): Buffer {
  if (signal === 'logs') return encode(ExportLogsServiceResponseSchema, form, logsTaken(rejected));
  return encode(ExportTraceServiceResponseSchema, form, spansTaken(rejected));
}

function encode<Schema extends DescMessage>(
  schema: Schema,
  form: Form,
  message: ReturnType<typeof create<Schema>>,
): Buffer {
  if (form === 'application/json') return Buffer.from(JSON.stringify(toJson(schema, message)));
  return Buffer.from(toBinary(schema, message));
}
