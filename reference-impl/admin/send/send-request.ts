import type { IncomingMessage } from 'node:http';
import { encodeEvent } from '../../trace/encode.ts';
import { answerText, type AdminRequest, type AdminServices, type DataPorts } from '../endpoint.ts';
import { openStream, type EventStream } from '../event-stream.ts';
import { type AskedRequest, MOST_BYTES, readAskedRequest } from './asked-request.ts';
import { connectData, type DataConnection } from './data-connection.ts';
import { notThePage } from './sent-by-page.ts';

/**
 * Sends one request of the page to a data port of this proxy, and streams what happens to it as server-sent events: `trace`,
 * an event as the trace stream has it; `answer`, a `ShownAnswer`; `failure`, a sentence in JSON, when there is none.
 * Nothing else can be reached: the port is one that this proxy has open, at the address it has it open at.
 */
export async function sendRequest({ request, response }: AdminRequest, context: AdminServices): Promise<void> {
  const refusal = notThePage(request.headers);
  if (refusal !== undefined) {
    answerText(response, 403, refusal);
    return;
  }
  const text = await readText(request);
  if (text === undefined) {
    answerText(response, 413, `a request may have ${MOST_BYTES} bytes`);
    return;
  }
  const asked = readAskedRequest(text);
  if ('refused' in asked) {
    answerText(response, 400, asked.refused);
    return;
  }
  const ports = context.data?.ports() ?? [];
  if (context.data === undefined || !ports.includes(asked.port)) {
    answerText(
      response,
      400,
      `invalid request: port: ${asked.port} is no open data port: ${ports.join(', ') || 'none'}`,
    );
    return;
  }
  const giveBack = context.turns.take();
  if (giveBack === undefined) {
    answerText(response, 429, 'too many requests of pages are under way');
    return;
  }
  const leaving = new AbortController();
  response.once('close', () => {
    leaving.abort();
    giveBack();
  });
  await follow(asked, context.data, openStream(response, context), { context, leaving: leaving.signal });
}

/** The body as text; undefined when it is larger than it may be. */
async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.byteLength;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

interface Following {
  readonly context: AdminServices;
  /** Aborted when the page has gone. */
  readonly leaving: AbortSignal;
}

/** Ends the stream when the answer and the trace are complete, or as complete as they get in `PATIENCE_MS` and `GRACE_MS`. */
async function follow(
  asked: AskedRequest,
  { address }: DataPorts,
  stream: EventStream,
  { context, leaving }: Following,
): Promise<void> {
  const { clock, view, watchers } = context;
  const listeners = view().binds.get(asked.port)?.listeners ?? [];
  let connection: DataConnection;
  try {
    const tls = listeners.some((listener) => listener.tls !== undefined);
    connection = await connectData({ host: reachable(address), port: asked.port, tls });
  } catch (error) {
    tellFailure(stream, error);
    stream.end();
    return;
  }
  const traced = Promise.withResolvers<void>();
  const stopWatching = watchers.watch(
    { sourcePort: connection.localPort },
    {
      event: (event) => {
        stream.send(`event: trace\ndata: ${encodeEvent(event)}\n\n`);
      },
      finished: traced.resolve,
    },
  );
  leaving.addEventListener('abort', connection.close);
  const stopWaiting = clock.after(PATIENCE_MS, connection.close);
  try {
    stream.send(`event: answer\ndata: ${JSON.stringify(await connection.exchange(asked))}\n\n`);
  } catch (error) {
    tellFailure(stream, error);
  }
  stopWaiting();
  connection.close();
  // The end of the answer may overtake the end of the trace; and a request that nobody could read has none.
  const giveUp = clock.after(GRACE_MS, traced.resolve);
  leaving.addEventListener('abort', () => {
    traced.resolve();
  });
  if (leaving.aborted) traced.resolve();
  await traced.promise;
  giveUp();
  stopWatching();
  stream.end();
}

/** For the whole answer. */
const PATIENCE_MS = 30_000;
/** For the rest of the trace once the answer is there. */
const GRACE_MS = 2000;

function tellFailure(stream: EventStream, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  stream.send(`event: failure\ndata: ${JSON.stringify(why)}\n\n`);
}

/** Who listens everywhere listens on loopback. */
function reachable(address: string): string {
  return EVERYWHERE[address] ?? address;
}

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
