import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { endWithRunner } from './reaper.ts';
import { withinFair } from './time/fair-time.ts';
import { watchProgram } from './time/programs.ts';

const KEPT_LINES = 200;
const LINE_LIMIT = 2000;
const living = new Set<Child>();
let guarded = false;

/** A program in its own process group. Its output is kept to the last lines; it never outlives the runner, however that ends. */
export interface Child {
  readonly pid: number;
  readonly stdin: Writable | null;
  /** Not read by the log when the caller asked for the stream (`protocol`). */
  readonly stdout: Readable | null;
  readonly logs: () => readonly string[];
  /** Number of lines it has printed so far. */
  readonly logged: () => number;
  /** Calls back for each line of output, the earlier ones first. */
  readonly onLine: (listener: (line: string) => void) => void;
  /** Resolves with a description of the end: `exited with code 1`, `was ended by SIGSEGV`, `could not be started: …`. */
  readonly ended: Promise<string>;
  /** The same once it has happened. */
  readonly end: () => string | undefined;
  /** Resolves when it has ended and its output has been read to the end. */
  readonly drained: Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Signals the group and, after the limit, kills it. */
  readonly stop: (signal: NodeJS.Signals, withinMs: number) => Promise<void>;
}

/** Starts a program. It never throws: a program that cannot be started has ended. */
export function startChild(
  command: readonly string[],
  options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>> | undefined;
    readonly protocol?: boolean;
  },
): Child {
  guard();
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: [options.protocol === true ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  const log = keepLines(child, options.protocol === true);
  const made = asChild(child, log, command.join(' '));
  living.add(made);
  void made.ended.then(() => living.delete(made));
  if (made.pid !== 0) void made.ended.then(endWithRunner(made.pid));
  void made.ended.then(watchProgram(made.pid));
  return made;
}

/** Kills the process group of every program that still runs; synchronous, for the last moment of the runner. */
export function killAll(): void {
  for (const child of living) child.signal('SIGKILL');
}

interface Log {
  readonly lines: readonly string[];
  readonly count: () => number;
  readonly listeners: Set<(line: string) => void>;
}

function asChild(child: ChildProcess, log: Log, command: string): Child {
  let end: string | undefined;
  const ended = new Promise<string>((resolve) => {
    const finish = (text: string): void => {
      end ??= text;
      resolve(end);
    };
    child.once('error', (error) => finish(`could not be started: ${error.message} (${command})`));
    child.once('exit', (code, signal) =>
      finish(signal === null ? `exited with code ${code ?? 0}` : `was ended by ${signal}`),
    );
  });
  const drained = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const pid = child.pid ?? 0;
  const signal = (name: NodeJS.Signals): void => signalGroup(pid, name);
  return {
    pid,
    stdin: child.stdin,
    stdout: child.stdout,
    logs: () => log.lines,
    logged: () => log.count(),
    onLine: (listener) => {
      for (const line of log.lines) listener(line);
      log.listeners.add(listener);
    },
    ended,
    end: () => end,
    drained,
    signal,
    stop: async (name, withinMs) => {
      // The group may hold children after its leader has ended, so the kill at the end is not conditional.
      signal(name);
      await withinFair([ended], withinMs);
      signal('SIGKILL');
      await ended;
    },
  };
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  if (pid === 0) return;
  try {
    process.kill(-pid, name);
  } catch (error) {
    // The group is gone already: that is what was wanted.
    if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error;
  }
}

function keepLines(child: ChildProcess, protocol: boolean): Log {
  const lines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  let count = 0;
  for (const stream of protocol ? [child.stderr] : [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = (parts.pop() ?? '').slice(0, LINE_LIMIT);
      for (const line of parts) keep(line.slice(0, LINE_LIMIT));
    });
    stream?.once('end', () => {
      if (rest !== '') keep(rest);
    });
  }
  const keep = (line: string): void => {
    count += 1;
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    for (const listener of listeners) listener(line);
  };
  return { lines, count: () => count, listeners };
}

function guard(): void {
  if (guarded) return;
  guarded = true;
  process.once('exit', killAll);
}
