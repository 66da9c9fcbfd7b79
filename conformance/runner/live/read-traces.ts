import { ImplementationFault } from '../sut/session.ts';
import { isObject } from '../values/json.ts';

/** One trace as it came. */
export interface LiveTrace {
  readonly contentType: string;
  /** Data items that are JSON, in order. */
  readonly records: readonly unknown[];
  /** Data items that are none. */
  readonly malformed: readonly string[];
  /** Whether the stream ended within a moment of requestFinished. */
  readonly ended: boolean;
}

/** How long a stream may go on after requestFinished. */
const END_LIMIT_MS = 2000;
/** What a trace may hold; more is a stream that never ends. */
const TRACE_LIMIT = 64 * 1024 * 1024;

/**
 * Opens the trace stream again and again, so that each request that arrives in between is one trace; a stream that `stop` ends is not
 * one. Throws ImplementationFault where there is no such stream.
 */
export async function* readTraces(
  url: URL,
  { method, stop }: { readonly method: string; readonly stop: AbortSignal },
): AsyncGenerator<LiveTrace> {
  while (!stop.aborted) {
    const trace = await readTrace(url, method, stop);
    if (trace === undefined) return;
    yield trace;
  }
}

async function readTrace(url: URL, method: string, stop: AbortSignal): Promise<LiveTrace | undefined> {
  const over = new AbortController();
  const answer = await open(url, method, AbortSignal.any([stop, over.signal]));
  if (answer === undefined) return undefined;
  const contentType = answer.headers.get('content-type') ?? '';
  const records: unknown[] = [];
  const malformed: string[] = [];
  let late: NodeJS.Timeout | undefined;
  let size = 0;
  const take = (line: string): void => {
    if (!line.startsWith('data:')) return;
    const record = parse(line.slice('data:'.length));
    if (record === undefined) malformed.push(line);
    else records.push(record.value);
    if (isFinished(record?.value)) late ??= setTimeout(() => over.abort(), END_LIMIT_MS);
  };
  try {
    let rest = '';
    for await (const text of (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      size += text.length;
      if (size > TRACE_LIMIT) throw new ImplementationFault(`${url.href} sends a trace without end`);
      const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    }
    take(rest);
  } catch (error) {
    if (stop.aborted) return undefined;
    if (!over.signal.aborted) throw new ImplementationFault(`${url.href} broke off: ${String(error)}`);
  } finally {
    clearTimeout(late);
  }
  return { contentType, records, malformed, ended: !over.signal.aborted };
}

async function open(url: URL, method: string, signal: AbortSignal): Promise<Response | undefined> {
  try {
    const answer = await fetch(url, { method, headers: { accept: 'text/event-stream' }, signal });
    if (answer.ok) return answer;
    await answer.body?.cancel();
    throw new ImplementationFault(`${method} ${url.href} is answered ${answer.status}`);
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof ImplementationFault) throw error;
    throw new ImplementationFault(`${url.href} cannot be reached: ${String(error)}`);
  }
}

function isFinished(record: unknown): boolean {
  return isObject(record) && isObject(record['message']) && record['message']['type'] === 'requestFinished';
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
