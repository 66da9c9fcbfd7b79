import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { arming } from './arming.ts';
import { failureOf } from './failure.ts';
import { headerObject } from './receiver.ts';
import { CaseFault, StepUnsupported, type Observation, type StepContext } from './step.ts';
import { afterFair } from '../sut/time/fair-time.ts';
import { isObject } from '../values/json.ts';
import type { TraceWatch } from './background.ts';

const TRACE_PATH = '/debug/trace';
const STREAM_LIMIT = 64 * 1024 * 1024;

interface TraceInput {
  readonly watch: string;
  readonly expression?: string | undefined;
  readonly method?: string | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
}

interface Stream {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
  records: unknown[];
  /** Data items that are not JSON, or that the stream breaks off. */
  malformed: string[];
  armed: boolean;
  closed: boolean;
  failure: string | undefined;
  /** Effective policies that the adapter is putting into the shape of the resources; none rejects. */
  reshaping: Promise<void>[];
}

/**
 * Opens the trace stream and waits until the tap is armed. Which method the endpoint takes and what shows that it is armed are
 * open (U-001, U-002): the manifest says, otherwise POST, then GET where that is refused, and whatever `arming` sees.
 */
export async function armTrace(input: TraceInput, context: StepContext): Promise<Observation> {
  const began = performance.now();
  const { admin } = context.session.endpoints;
  if (admin === undefined) throw new StepUnsupported('the manifest names no admin endpoint');
  let seen = openStream(input, methods(input, context)[0] ?? 'POST', context);
  await seen.armed;
  const second = methods(input, context)[1];
  if (seen.stream.status >= 400 && second !== undefined) {
    seen.watch.stop();
    seen = openStream(input, second, context);
    await seen.armed;
  }
  context.background.traces.set(input.watch, seen.watch);
  const { status, headers, text, armed, closed, records, failure } = seen.stream;
  const why = `not armed (${status} ${failure ?? ''}); the manifest says what shows that it is (unspecified, U-002)`;
  context.timeline.add('trace', `${input.watch} ${armed ? 'armed' : why}`);
  return {
    status,
    headers,
    armed,
    open: !closed,
    events: records.length,
    ...(status === 200 ? {} : { body: text }),
    ...(failure === undefined ? {} : { failure }),
    elapsedMs: Math.round(performance.now() - began),
  };
}

/** Whether an armed trace is still open and how many events it has shown so far. Throws CaseFault for an unknown name. */
export function peekTrace(name: string, context: StepContext): Observation {
  const watch = context.background.traces.get(name);
  if (watch === undefined) throw new CaseFault(`no trace ${name} was armed before`);
  const { status, headers, closed, events } = watch.observation();
  return { status, headers, armed: true, open: closed !== true, events: Array.isArray(events) ? events.length : 0 };
}

function methods(input: TraceInput, context: StepContext): readonly string[] {
  const declared = input.method ?? context.session.unspecified['U-001'];
  return typeof declared === 'string' ? [declared] : ['POST', 'GET'];
}

function openStream(
  input: TraceInput,
  method: string,
  context: StepContext,
): { stream: Stream; watch: TraceWatch; armed: Promise<void> } {
  const stream: Stream = {
    status: 0,
    headers: {},
    text: '',
    records: [],
    malformed: [],
    armed: false,
    closed: false,
    failure: undefined,
    reshaping: [],
  };
  const listeners = new Set<() => void>();
  const wake = (): void => {
    for (const listener of listeners) listener();
  };
  const { admin } = context.session.endpoints;
  const watcher = arming(context.session.unspecified['U-002'], () => {
    stream.armed = true;
    wake();
  });
  const call = request({
    ...admin,
    method,
    path: tracePath(input),
    headers: { accept: 'text/event-stream', 'content-length': 0 },
    agent: false,
  });
  const note = (written: unknown): void => {
    const record = inCanonicalNames(written, context);
    if (record !== undefined) stream.reshaping.push(reshape(written, stream.records.push(record) - 1, stream, context));
    context.timeline.add('trace', `${input.watch} ${labelOf(record)}`);
  };
  const items = itemReader((lines, isWhole) => {
    const text = lines.join('\n');
    const written = isWhole ? parseRecord(text) : undefined;
    if (written === undefined) stream.malformed.push(text);
    // Whoever puts its events together otherwise is told so once, and judged by them all the same.
    for (const each of written === undefined ? lines.map(parseRecord) : [written]) note(each);
  });
  call.once('response', (answer) => {
    stream.status = answer.statusCode ?? 0;
    stream.headers = headersOf(answer);
    watcher.head(stream.status);
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => {
      watcher.bytes();
      if (stream.text.length < STREAM_LIMIT) stream.text += text;
      items.read(text);
      wake();
    });
    answer.once('error', () => finish(stream, 'closed', wake));
    answer.once('close', () => {
      items.end();
      finish(stream, answer.complete ? undefined : 'closed', wake);
    });
    wake();
  });
  call.once('error', (error) => finish(stream, failureOf(error), wake));
  call.once('close', watcher.end);
  call.end(watcher.asked);
  const until = conditions(listeners);
  return {
    stream,
    watch: asWatch(stream, call, until),
    armed: until(() => stream.armed || stream.closed, context.limitMs).then((reached) => {
      if (!reached) stream.failure = 'timeout';
      return undefined;
    }),
  };
}

function asWatch(stream: Stream, call: ClientRequest, until: ReturnType<typeof conditions>): TraceWatch {
  return {
    settled: async (limitMs) => {
      await until(() => stream.closed, limitMs);
      await Promise.all(stream.reshaping);
    },
    observation: () => ({
      status: stream.status,
      headers: stream.headers,
      closed: stream.closed,
      text: stream.text,
      contentType: stream.headers['content-type'],
      records: stream.records,
      malformed: stream.malformed,
      events: stream.records.map(flatten),
    }),
    stop: () => call.destroy(),
  };
}

/** Members of `message` beside those of the record, so that one entry of a case can speak of both. */
function flatten(record: unknown): unknown {
  if (typeof record !== 'object' || record === null || !('message' in record)) return record;
  const { message, ...rest } = record;
  return typeof message === 'object' && message !== null ? { ...rest, ...message, message } : record;
}

function conditions(listeners: Set<() => void>): (condition: () => boolean, limitMs: number) => Promise<boolean> {
  return async (condition, limitMs) => {
    if (condition()) return true;
    return new Promise((resolve) => {
      const settle = (reached: boolean): void => {
        cancel();
        listeners.delete(check);
        resolve(reached);
      };
      const cancel = afterFair(limitMs, () => settle(false));
      const check = (): void => {
        if (condition()) settle(true);
      };
      listeners.add(check);
    });
  };
}

function finish(stream: Stream, failure: string | undefined, wake: () => void): void {
  stream.closed = true;
  stream.failure ??= failure;
  wake();
}

function tracePath(input: TraceInput): string {
  const query = new URLSearchParams({
    ...input.query,
    ...(input.expression === undefined ? {} : { expression: input.expression }),
  }).toString();
  return query === '' ? TRACE_PATH : `${TRACE_PATH}?${query}`;
}

/**
 * The data lines of each server-sent event that has any, up to the empty line that ends it. Readers of such events drop what no empty line
 * ends: it is given too, and is not whole.
 */
function itemReader(each: (lines: readonly string[], isWhole: boolean) => void): {
  readonly read: (text: string) => void;
  readonly end: () => void;
} {
  let data: string[] = [];
  const give = (isWhole: boolean): void => {
    if (data.length > 0) each(data, isWhole);
    data = [];
  };
  const read = lineReader((line) => {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).trim());
    if (line === '') give(true);
  });
  return { read, end: () => give(false) };
}

/** A line ends with CR, LF or both; a CR at the end of what has come so far may be half of both. */
function lineReader(each: (line: string) => void): (text: string) => void {
  let rest = '';
  let isFirst = true;
  let afterReturn = false;
  return (text) => {
    if (text === '') return;
    const whole = isFirst ? text.replace(/^\uFEFF/, '') : afterReturn ? text.replace(/^\n/, '') : text;
    isFirst = false;
    afterReturn = text.endsWith('\r');
    const lines = (rest + whole).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) each(line);
  };
}

function parseRecord(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A record whose effective policy, if it has one, was translated back from the dialect. */
function inCanonicalNames(record: unknown, { session }: StepContext): unknown {
  if (!isObject(record) || !isObject(record['message']) || !('effectivePolicy' in record['message'])) return record;
  const { message } = record;
  return {
    ...record,
    message: { ...message, effectivePolicy: session.canonicalPolicy(message['effectivePolicy'], message['phase']) },
  };
}

/** The operation that puts an effective policy of a trace into the shape of the resources. */
const RESHAPE = 'canonical-policy';

/** Puts the record there whose effective policy the adapter has reshaped; one it cannot say anything of stays as it is. */
async function reshape(
  written: unknown,
  index: number,
  { records }: Stream,
  { session, caseId }: StepContext,
): Promise<void> {
  if (!session.ops.includes(RESHAPE) || !isObject(written) || !isObject(written['message'])) return;
  const { phase, effectivePolicy } = written['message'];
  if (effectivePolicy === undefined) return;
  const answer = await session.op(RESHAPE, { phase, effectivePolicy }, caseId);
  if (answer.kind === 'result')
    records[index] = { ...written, message: { ...written['message'], effectivePolicy: answer.result } };
}

function labelOf(record: unknown): string {
  const event = flatten(record);
  if (typeof event !== 'object' || event === null || !('type' in event)) return 'a record without type';
  const detail = 'stage' in event ? event.stage : 'phase' in event ? event.phase : '';
  return `${String(event.type)} ${String(detail)}`.trim();
}

function headersOf(answer: IncomingMessage): Readonly<Record<string, unknown>> {
  return headerObject(
    answer.rawHeaders.flatMap((name, index, all): (readonly [string, string])[] =>
      index % 2 === 0 ? [[name, all[index + 1] ?? '']] : [],
    ),
  );
}
