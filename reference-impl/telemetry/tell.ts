import type { Body } from '../base/body.ts';
import { HeaderMap } from '../base/headers.ts';
import type { Program } from '../cel/compile.ts';
import { isTrue } from '../cel/results.ts';
import type { Answer, Listened, Received } from '../exchange/exchange.ts';
import type { RequestRecord } from '../exchange/request-record.ts';
import { editAttributes, isEdited, type AttributeEdits } from './attributes.ts';
import { compiledFrontend, type CompiledLog, type CompiledTracing } from './compile-frontend.ts';
import { Entry } from './entry.ts';
import { defaultLine, logLine } from './log-line.ts';
import { countRequest } from './metrics/count-request.ts';
import { logFields } from './names/log-keys.ts';
import type { LogData } from './otlp/encode.ts';
import { spansOf } from './server-span.ts';
import type { Telemetry } from './telemetry.ts';

/** Tells whoever is told about requests of one whose answer is over. Returns at once and never throws. */
export function tell(exchange: Received, answer: Answer, telemetry: Telemetry): void {
  const { record } = exchange;
  if (record === undefined || !isListened(exchange)) return;
  const entry = new Entry(exchange, answer, record);
  const frontend = compiledFrontend(exchange.listener.frontend);
  if (telemetry.metrics !== undefined) countRequest(telemetry.metrics, entry, frontend?.labels ?? []);
  if (frontend?.accessLog !== undefined) tellLog(entry, frontend.accessLog, telemetry);
  if (frontend?.tracing !== undefined) tellSpans(entry, frontend.tracing, telemetry);
}

function isListened(exchange: Received): exchange is Listened {
  return 'listener' in exchange;
}

/** LOG-006, LOG-014: to a collector only where there is one; what both say is made once. */
function tellLog(entry: Entry, log: CompiledLog, telemetry: Telemetry): void {
  const { record, exchange } = entry;
  const keeps = passes(log.filter, entry);
  const sends =
    log.export !== undefined && (log.export.filter === log.filter ? keeps : passes(log.export.filter, entry));
  if (!keeps && !sends) return;
  const now = exchange.clock.wall();
  const edit = (edits: AttributeEdits): LogData['attributes'] =>
    editAttributes(logFields(entry), edits, entry.variables);
  const own = keeps && (sends || isEdited(log.edits)) ? edit(log.edits) : undefined;
  if (keeps) {
    const { format } = telemetry;
    telemetry.writeLine(own === undefined ? defaultLine(format, now, entry) : logLine(format, now, own));
  }
  if (!sends) return;
  const attributes = log.export.edits === log.edits && own !== undefined ? own : edit(log.export.edits);
  const { traceId = '', spanId = '' } = record.trace ?? {};
  telemetry.logsTo(log.export).add({ at: now, attributes, traceId, spanId }, exchange.view.references);
}

/** OTEL-016: a filter decides once the answer is known, about the span of the request and those of its calls alike. */
function tellSpans(entry: Entry, tracing: CompiledTracing, telemetry: Telemetry): void {
  const { record, exchange } = entry;
  if (record.trace === undefined || !passes(tracing.filter, entry)) return;
  const exporter = telemetry.spansTo(tracing);
  for (const span of spansOf(entry, record.trace, tracing.edits)) exporter.add(span, exchange.view.references);
}

/** LOG-001: only what is true passes; a filter that fails keeps nothing. */
function passes(filter: Program | undefined, entry: Entry): boolean {
  return filter === undefined || isTrue(filter.evaluate(entry.variables));
}

/** The answer, with its bytes counted as they are sent. */
export function withCountedBody(answer: Answer, record: RequestRecord | undefined): Answer {
  const { body } = answer;
  return body === undefined || record === undefined ? answer : { ...answer, body: new CountedBody(body, record) };
}

class CountedBody implements Body {
  readonly length: number | undefined;
  readonly #body: Body;
  readonly #record: RequestRecord;

  constructor(body: Body, record: RequestRecord) {
    this.length = body.length;
    this.#body = body;
    this.#record = record;
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      return this.#count(await this.#body.read());
    } catch (error) {
      this.#record.broken = error instanceof Error ? error.message : String(error);
      throw error;
    }
  }

  cancel(): void {
    this.#body.cancel();
  }

  trailers(): HeaderMap {
    return this.#body.trailers?.() ?? HeaderMap.EMPTY;
  }

  takeAll(): Uint8Array | undefined {
    return this.#count(this.#body.takeAll?.());
  }

  #count(bytes: Uint8Array | undefined): Uint8Array | undefined {
    this.#record.bytes += bytes?.byteLength ?? 0;
    return bytes;
  }
}
