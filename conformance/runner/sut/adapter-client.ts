import { createInterface } from 'node:readline';
import { unknownFeatures } from '../clauses/features.ts';
import { startChild } from './child.ts';
import { answerSchemas, type Hello } from './adapter-messages.ts';
import { ImplementationFault } from './session.ts';
import { afterFair, withinFair } from './time/fair-time.ts';

/** An answer line as it came, with its sequence number. */
export type Answer = Readonly<Record<string, unknown>>;

/** A running adapter program that speaks JSON lines. */
export interface AdapterClient {
  readonly hello: Hello;
  /** Sends a command. Rejects with ImplementationFault when the adapter ends, stays silent, or breaks the protocol. */
  readonly call: (cmd: string, payload?: Readonly<Record<string, unknown>>, withinMs?: number) => Promise<Answer>;
  readonly logs: () => readonly string[];
  /** Number of lines it has printed so far. */
  readonly logged: () => number;
  /** Why it is gone or unusable. */
  readonly broken: () => string | undefined;
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
}

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  /** Calls off the limit. */
  readonly cancel: () => void;
}

const DEFAULT_LIMIT_MS = 10_000;
/** The command of an adapter may be one that compiles it first: `go run` takes half a minute on a machine that has compiled nothing yet. */
const HELLO_LIMIT_MS = 60_000;
const LAST_WORDS_MS = 500;

/**
 * Starts the adapter and says hello, which it has a minute to answer; any other command it has ten seconds for, unless its caller says otherwise.
 * Throws ImplementationFault with its last words.
 */
export async function startAdapterClient(
  command: readonly string[],
  cwd: string,
  options: {
    readonly helloWithinMs?: number;
    readonly suite?: Readonly<Record<string, unknown>>;
    readonly env?: Readonly<Record<string, string>> | undefined;
  } = {},
): Promise<AdapterClient> {
  const child = startChild(command, { cwd, protocol: true, env: options.env });
  const pending = new Map<number, Pending>();
  let broken: string | undefined;
  let sequence = 0;

  const fault = (text: string): ImplementationFault =>
    new ImplementationFault(withLogs(`the adapter ${text}`, child.logs()));
  const breakAll = (text: string): void => {
    broken ??= text;
    for (const seq of pending.keys()) settle(pending, seq)?.reject(fault(text));
  };
  const call: AdapterClient['call'] = async (cmd, payload = {}, withinMs = DEFAULT_LIMIT_MS) => {
    if (broken !== undefined) throw fault(broken);
    const seq = ++sequence;
    return new Promise<Answer>((resolve, reject) => {
      const cancel = afterFair(withinMs, () =>
        settle(pending, seq)?.reject(fault(`gave no answer to ${cmd} within ${withinMs} ms`)),
      );
      pending.set(seq, { resolve, reject, cancel });
      child.stdin?.write(`${JSON.stringify({ seq, cmd, ...payload })}\n`);
    });
  };

  // A program that ended has closed its input too, and how it ended says more.
  child.stdin?.on('error', () => void afterFair(LAST_WORDS_MS, () => breakAll('closed its input')));
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', (line) => receive(line, pending, breakAll));
  void child.ended.then(breakAll);

  const stop = async (): Promise<void> => {
    if (broken === undefined) await call('stop', {}, 2000).catch(() => undefined);
    child.stdin?.end();
    await child.stop('SIGTERM', 1000);
    // What it printed last may still be on its way.
    await withinFair([child.drained], LAST_WORDS_MS);
  };
  try {
    const withinMs = options.helloWithinMs ?? HELLO_LIMIT_MS;
    const hello = readHello(await call('hello', { protocol: 1, ...options.suite }, withinMs));
    if (typeof hello === 'string') throw fault(`answered hello wrongly: ${hello}`);
    return {
      hello,
      call,
      logs: child.logs,
      logged: child.logged,
      broken: () => broken,
      ended: child.ended,
      stop,
    };
  } catch (error) {
    await child.stop('SIGKILL', 0);
    throw error;
  }
}

/** The answer to hello with its defaults, or what is wrong with it. */
function readHello(answer: Answer): Hello | string {
  const { success, data, error } = answerSchemas.hello.safeParse(answer);
  if (!success) return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  const unknown = unknownFeatures(Object.keys(data.features));
  if (unknown.length > 0) return unknown.map(({ name, message }) => `features.${name}: ${message}`).join('; ');
  return data;
}

function receive(line: string, pending: Map<number, Pending>, breakAll: (text: string) => void): void {
  const answer = parseAnswer(line);
  if (answer === undefined)
    return breakAll(`printed something that is no answer on stdout: ${JSON.stringify(line.slice(0, 200))}`);
  const waiting = settle(pending, Number(answer['seq']));
  // A late answer to a command whose limit has passed is nobody's any more.
  waiting?.resolve(answer);
}

function settle(pending: Map<number, Pending>, seq: number): Pending | undefined {
  const waiting = pending.get(seq);
  if (waiting === undefined) return undefined;
  pending.delete(seq);
  waiting.cancel();
  return waiting;
}

function parseAnswer(line: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isAnswer(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'seq' in value && typeof value.seq === 'number';
}

function withLogs(text: string, logs: readonly string[]): string {
  return logs.length === 0 ? text : `${text}; its last words: ${logs.slice(-5).join(' | ')}`;
}
