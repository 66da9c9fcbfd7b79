import { request, type IncomingMessage } from 'node:http';
import { createPayloadReader } from './payloads.ts';
import { reasonOf, TraceFailure } from './trace-failure.ts';

/** What the client asks the trace endpoint for. */
export interface TraceQuery {
  readonly expression?: string | undefined;
  readonly gateway?: string | undefined;
  /** The local port of the connection the traced request will use (CLI-029). */
  readonly sourcePort?: number | undefined;
}

/** An open trace stream: the server is waiting for the request from the moment this exists. */
export interface TraceStream {
  /** One JSON text per event. Throws a TraceFailure when the connection breaks off. */
  readonly payloads: AsyncIterable<string>;
  readonly close: () => void;
}

/** CLI-012: the admin endpoint is always on the local host. Throws a TraceFailure when there is no stream to read. */
export async function openTraceStream(adminPort: number, query: TraceQuery): Promise<TraceStream> {
  const path = `/debug/trace${queryText(query)}`;
  const response = await call(adminPort, 'POST', path).catch((error: unknown) => {
    throw new TraceFailure(`failed to open trace stream: ${reasonOf(error)}`);
  });
  if (response.statusCode !== 200) {
    throw new TraceFailure(`trace stream returned ${response.statusCode}: ${await readText(response, 65_536)}`);
  }
  return {
    payloads: readPayloads(response),
    close: () => {
      response.destroy();
    },
  };
}

/** Reads a JSON document of the admin listener. Throws a TraceFailure. */
export async function fetchAdminJson(adminPort: number, path: string): Promise<unknown> {
  try {
    const response = await call(adminPort, 'GET', path);
    const text = await readText(response, 256 * 1024 * 1024);
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`);
    return JSON.parse(text);
  } catch (error) {
    throw new TraceFailure(`failed to read ${path} of the admin endpoint: ${reasonOf(error)}`);
  }
}

function queryText({ expression, gateway, sourcePort }: TraceQuery): string {
  const query = new URLSearchParams();
  if (expression !== undefined) query.set('expression', expression);
  if (gateway !== undefined) query.set('gateway', gateway);
  if (sourcePort !== undefined) query.set('source-port', String(sourcePort));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Resolves with the head of the response. */
function call(port: number, method: string, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    // Not `localhost`: that may be another address first, and the endpoint is on this one only.
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent: false,
      headers: { host: `127.0.0.1:${port}` },
    });
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

async function* readPayloads(response: IncomingMessage): AsyncGenerator<string> {
  const reader = createPayloadReader();
  response.setEncoding('utf8');
  try {
    for await (const chunk of response) yield* reader.push(String(chunk));
  } catch (error) {
    if (error instanceof TraceFailure) throw error;
    throw new TraceFailure(`failed to read trace stream: ${reasonOf(error)}`);
  }
  yield* reader.end();
}

async function readText(response: IncomingMessage, limit: number): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > limit) break;
  }
  return text.slice(0, limit).trim();
}
