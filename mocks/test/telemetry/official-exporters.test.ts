import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPLogExporter as LogsOverGrpc } from '@opentelemetry/exporter-logs-otlp-grpc';
import { OTLPLogExporter as LogsOverHttpJson } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as LogsOverHttp } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPTraceExporter as SpansOverGrpc } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as SpansOverHttpJson } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as SpansOverHttp } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { LoggerProvider, SimpleLogRecordProcessor, type LogRecordExporter } from '@opentelemetry/sdk-logs';
import { SimpleSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { describe, expect, test } from 'vitest';
import type { Mock } from '../../mock.ts';
import { start } from '../support/start.ts';

/*
 * What the exporters of the OpenTelemetry SDK send is what a collector is sent: the decoder of the mock is proven by them.
 */

const resource = resourceFromAttributes({ 'service.name': 'shop', 'service.instance': 7 });
const urlOf = ({ host, port }: Mock, path = ''): string => `http://${host}:${port}${path}`;

const SPAN_EXPORTERS: readonly (readonly [string, string, (mock: Mock) => SpanExporter])[] = [
  ['grpc', 'over gRPC', (mock) => new SpansOverGrpc({ url: urlOf(mock) })],
  ['http', 'over HTTP', (mock) => new SpansOverHttp({ url: urlOf(mock, '/v1/traces') })],
  ['http', 'over HTTP in JSON', (mock) => new SpansOverHttpJson({ url: urlOf(mock, '/v1/traces') })],
];

const LOG_EXPORTERS: readonly (readonly [string, string, (mock: Mock) => LogRecordExporter])[] = [
  ['grpc', 'over gRPC', (mock) => new LogsOverGrpc({ url: urlOf(mock) })],
  ['http', 'over HTTP', (mock) => new LogsOverHttp({ url: urlOf(mock, '/v1/logs') })],
  ['http', 'over HTTP in JSON', (mock) => new LogsOverHttpJson({ url: urlOf(mock, '/v1/logs') })],
];

describe('official exporters', () => {
  test.each(SPAN_EXPORTERS)('spans %s, %s', async (protocol, _, exporterTo) => {
    const mock = await start({ kind: 'otlp' });
    const provider = new TracerProvider({
      resource,
      spanProcessors: [new SimpleSpanProcessor({ exporter: exporterTo(mock) })],
    });
    const tracer = provider.getTracer('suite', '1.2');
    const parent = tracer.startSpan('parent', { kind: SpanKind.SERVER, startTime: [10, 5] });
    const child = tracer.startSpan(
      'child',
      {
        kind: SpanKind.CLIENT,
        startTime: [10, 5],
        attributes: { text: 'a', whole: 3, part: 0.5, yes: true, list: ['x', 'y'] },
      },
      trace.setSpan(context.active(), parent),
    );
    child.addEvent('happened', { n: 1 });
    child.setStatus({ code: SpanStatusCode.ERROR, message: 'no' });
    child.end([11, 5]);
    parent.end();
    await provider.forceFlush();

    const [first, second] = mock.ledger.entries.map((entry) => entry.view());
    const { traceId, spanId } = parent.spanContext();
    expect(first).toMatchObject({
      signal: 'traces',
      protocol,
      resource: { 'service.name': 'shop', 'service.instance': 7 },
      scope: { name: 'suite', version: '1.2' },
      name: 'child',
      kind: 'CLIENT',
      traceId,
      parentSpanId: spanId,
      spanId: child.spanContext().spanId,
      start: '10000000005',
      nanoseconds: 1e9,
      attributes: { text: 'a', whole: 3, part: 0.5, yes: true, list: ['x', 'y'] },
      events: [{ name: 'happened', attributes: { n: 1 } }],
      status: { code: 'ERROR', message: 'no' },
    });
    expect(second).toMatchObject({ name: 'parent', kind: 'SERVER', parentSpanId: '', spanId, traceId });
    await provider.shutdown();
  });

  test.each(LOG_EXPORTERS)('logs %s, %s', async (protocol, _, exporterTo) => {
    const mock = await start({ kind: 'otlp' });
    const processors = [new SimpleLogRecordProcessor({ exporter: exporterTo(mock) })];
    const provider = new LoggerProvider({ resource, processors });
    provider.getLogger('request', '3').emit({
      timestamp: [12, 1],
      severityNumber: 9,
      severityText: 'INFO',
      body: { of: ['a', { thing: 1 }] },
      attributes: { 'http.status': 200, bytes: new Uint8Array([1, 2]) },
    });
    await provider.forceFlush();
    // The processor of logs does not wait for its exporter.
    await mock.ledger.until(({ entries }) => entries.length === 1, 5000);
    expect(mock.ledger.entries.map((entry) => entry.view())).toMatchObject([
      {
        signal: 'logs',
        protocol,
        resource: { 'service.name': 'shop' },
        scope: { name: 'request', version: '3' },
        time: '12000000001',
        severityNumber: 9,
        severityText: 'INFO',
        body: { of: ['a', { thing: 1 }] },
        attributes: { 'http.status': 200, bytes: { base64: 'AQI=' } },
      },
    ]);
    await provider.shutdown();
  });
});
