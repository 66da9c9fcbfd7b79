import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { pathOf } from '../target.ts';
import { decodeContent, decodeExport, formOf, MOST_BYTES, takenBody, type Form } from './decode.ts';
import type { Export } from './choose-reply.ts';
import type { Arrival } from './record-export.ts';
import type { RecordView } from './records.ts';
import { SIGNALS, type Reply, type Signal, type TelemetryScript } from './script.ts';

/** A request of any version of HTTP. */
export interface HttpExchange {
  readonly request: IncomingMessage | Http2ServerRequest;
  readonly response: ServerResponse | Http2ServerResponse;
  readonly arrival: Arrival;
  /** Ends the connection with a TCP reset. */
  readonly reset: () => void;
}

/** What the collector does with an export, whatever it came over. */
export interface Taking {
  readonly script: TelemetryScript;
  /** Notes it; returns what is called when it is answered. */
  readonly record: (
    how: Partial<Export>,
    arrival: Arrival,
    records: readonly RecordView[],
    more?: RecordView,
  ) => () => void;
  readonly choose: (asked: Export) => Partial<Reply>;
  readonly wait: (reply: Partial<Reply>, over: Promise<void>) => Promise<void>;
  readonly forbidden: (signal: Signal, reason: string) => void;
}

/** Takes an export over HTTP, in protobuf or JSON, or refuses it with its status. Never rejects. */
export async function takeOverHttp(exchange: HttpExchange, taking: Taking): Promise<void> {
  const { request, response, arrival } = exchange;
  const over = new Promise<void>((resolve) => response.once('close', resolve));
  const question = await read(exchange, taking.script);
  if (question === undefined) return;
  if ('status' in question) {
    const settle = taking.record({ protocol: 'http' }, arrival, [], { refused: question.why });
    response.once('close', settle);
    send(exchange, question.status, 'text/plain', Buffer.from(question.why));
    return;
  }
  const { signal, form, records } = question;
  response.once('close', taking.record({ signal, protocol: 'http' }, arrival, records, { form }));
  const reply = taking.choose({ signal, protocol: 'http' });
  await taking.wait(reply, over);
  if (request.destroyed && response.destroyed) return;
  answer(reply, question, exchange, taking);
}

interface Question {
  readonly signal: Signal;
  readonly form: Form;
  readonly records: readonly RecordView[];
}

/** Undefined when the client is gone. */
async function read(
  { request }: HttpExchange,
  script: TelemetryScript,
): Promise<Question | { readonly status: number; readonly why: string } | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      const piece: unknown = chunk;
      if (!Buffer.isBuffer(piece)) continue;
      bytes += piece.length;
      if (bytes > MOST_BYTES) return { status: 413, why: `more than ${MOST_BYTES} bytes` };
      chunks.push(piece);
    }
  } catch {
    return undefined;
  }
  const path = pathOf(request.url ?? '');
  const signal = SIGNALS.find((name) => (script.paths?.[name] ?? `/v1/${name}`) === path);
  if (signal === undefined) return { status: 404, why: `nothing is taken at ${path}` };
  if (request.method !== 'POST') return { status: 405, why: `${request.method ?? ''} is no way to send ${signal}` };
  const form = formOf(request.headers['content-type']);
  if (form === undefined) return { status: 415, why: `no such form: ${request.headers['content-type'] ?? 'none'}` };
  try {
    const body = decodeContent(Buffer.concat(chunks), request.headers['content-encoding']);
    return { signal, form, records: decodeExport(signal, form, body) };
  } catch (error) {
    return { status: 400, why: error instanceof Error ? error.message : String(error) };
  }
}

function answer(reply: Partial<Reply>, { signal, form }: Question, exchange: HttpExchange, taking: Taking): void {
  if (reply.fail !== undefined) {
    taking.forbidden(signal, reply.fail);
    send(exchange, 400, 'text/plain', Buffer.from(reply.fail));
  } else if (reply.error !== undefined) {
    send(exchange, STATUS_OF[reply.error] ?? 500, 'text/plain', Buffer.from(reply.message ?? reply.error));
  } else if (reply.fault === undefined) {
    send(exchange, 200, form, takenBody(signal, form, reply.rejected ?? 0));
  } else {
    FAULTS[reply.fault](exchange, form);
  }
}

/** What exporters repeat has the same status in both protocols; the rest is 500. */
const STATUS_OF: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

const FAULTS: Readonly<Record<NonNullable<Reply['fault']>, (exchange: HttpExchange, form: Form) => void>> = {
  hang: () => {},
  reset: ({ reset }) => reset(),
  'reset-stream': ({ reset }) => reset(),
  garbage: (exchange, form) => send(exchange, 200, form, Buffer.from([0x0a, 0x7f, 0xff])),
  'no-grpc': (exchange) => send(exchange, 404, 'text/html', Buffer.from('<p>nothing here</p>')),
};

function send({ response }: HttpExchange, status: number, type: string, body: Buffer): void {
  response.statusCode = status;
  response.setHeader('content-type', type);
  response.setHeader('content-length', body.length);
  response.end(body);
}
