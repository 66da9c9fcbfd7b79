import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { perObject } from '../base/per-object.ts';
import type { Callers } from '../upstream/callers.ts';
import { withServiceName, type CompiledExport, type CompiledTracing } from './compile-frontend.ts';
import type { LogFormat } from './log-formats.ts';
import type { Metrics } from './metrics/metrics.ts';
import { logsRequest, traceRequest, type LogData } from './otlp/encode.ts';
import { createExporter, type Exporter } from './otlp/exporter.ts';
import { send } from './otlp/send.ts';
import type { SpanData } from './server-span.ts';

/** Where what is recorded of requests goes. */
export interface Telemetry {
  /** Undefined when nobody can read them. */
  readonly metrics: Metrics | undefined;
  readonly format: LogFormat;
  /** Takes a line of the access log and returns at once. */
  readonly writeLine: (line: string) => void;
  /** The way to the collector of an access log, and of a tracing policy. */
  readonly logsTo: (destination: CompiledExport) => Exporter<LogData>;
  readonly spansTo: (tracing: CompiledTracing) => Exporter<SpanData>;
  /** Sends what is waiting; resolves when collectors have answered, or were given up. */
  readonly flush: () => Promise<void>;
}

export interface TelemetryOptions {
  readonly callers: Callers;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  readonly format: LogFormat;
  readonly writeLine: (line: string) => void;
}

/** One exporter for each policy that names a collector, for as long as a change leaves that policy alone. */
export function createTelemetry({ callers, clock, log, metrics, format, writeLine }: TelemetryOptions): Telemetry {
  /** Exporters that have something to send. */
  const busy = new Set<() => Promise<void>>();
  const usual = { clock, log, busy };
  const dropAs = (output: string) => (count: number) => metrics?.drop(output, count);
  const plain = withServiceName([]);
  return {
    metrics,
    format,
    writeLine,
    logsTo: perObject(({ to }: CompiledExport) =>
      createExporter<LogData>({
        ...usual,
        onDrop: dropAs('logs'),
        send: (items, references) =>
          send({ signal: 'logs', message: logsRequest(items, plain) }, to, references, callers),
      }),
    ),
    spansTo: perObject(({ to, resource }: CompiledTracing) =>
      createExporter<SpanData>({
        ...usual,
        onDrop: dropAs('spans'),
        send: (items, references) =>
          send({ signal: 'traces', message: traceRequest(items, resource) }, to, references, callers),
      }),
    ),
    flush: async () => {
      await Promise.all([...busy].map((flush) => flush()));
    },
  };
}
