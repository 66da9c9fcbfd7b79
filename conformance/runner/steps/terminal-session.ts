import { startChild, type Child } from '../sut/child.ts';
import { missingPrograms } from '../sut/requirements.ts';
import { fairNow, withinFair } from '../sut/time/fair-time.ts';
import { match } from '../values/match.ts';
import { clientCommand, type Relay } from './client-process.ts';
import type { Key, TerminalRun } from './background.ts';
import { CaseFault, ToolMissing, type Observation, type StepContext } from './step.ts';
import { COLUMNS, openScreen, ROWS, type Screen } from './terminal-screen.ts';

interface TerminalInput {
  readonly args?: readonly (string | number)[] | undefined;
  readonly as?: string | undefined;
  readonly rows?: number | undefined;
  readonly on?: string | undefined;
  readonly keys?: readonly Key[] | undefined;
}

/**
 * Starts the client on a terminal and waits until its tap is armed, or types keys on one that was started; then looks until the
 * screen is as expected, or the limit has passed. Throws StepUnsupported without cli.trace and ToolMissing without the program `script`.
 */
export async function runOnTerminal(input: TerminalInput, context: StepContext): Promise<Observation> {
  const began = performance.now();
  const fairBegan = fairNow();
  const terminal = input.on === undefined ? await startTerminal(input, context) : requireTerminal(input.on, context);
  terminal.type(input.keys ?? []);
  const left = Math.max(0, context.limitMs - (fairNow() - fairBegan));
  const seen = await terminal.look((now) => asExpected(now, context), left);
  openGates(seen, context);
  return { ...seen, elapsedMs: Math.round(performance.now() - began) };
}

function requireTerminal(name: string, { background }: StepContext): TerminalRun {
  const terminal = background.terminals.get(name);
  if (terminal === undefined) throw new CaseFault(`no terminal ${name} was opened before`);
  return terminal;
}

function asExpected(seen: Observation, { expect }: StepContext): boolean {
  const { elapsedMs: _, ...wanted } = expect;
  const checks = match(wanted, seen, { at: [], what: '', mode: 'subset', scope: {}, captures: new Map() });
  return checks.every(({ ok }) => ok);
}

/** What was waiting for a text on the screen may go on, now that the screen has been looked at. */
function openGates(seen: Observation, { on, peers }: StepContext): void {
  for (const { text, open } of on)
    if (text !== undefined && String(seen['screen']).includes(text)) peers.gates.open(open);
}

async function startTerminal(input: TerminalInput, context: StepContext): Promise<TerminalRun> {
  requireScript();
  const { manifest } = context;
  const { command, relay } = await clientCommand(input, context);
  context.timeline.add('client', `> on a terminal: ${input.args?.join(' ') ?? ''}`);
  // There is no terminal in Node itself: `script` makes one and passes its bytes through pipes.
  const { rows = ROWS } = input;
  const line = `stty cols ${COLUMNS} rows ${rows} && exec ${command.map(shellQuote).join(' ')}`;
  const child = startChild(['script', '--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    cwd: manifest.folder,
    env: {
      ...manifest.extraEnv,
      SHELL: '/bin/sh',
      TERM: 'xterm-256color',
      COLUMNS: String(COLUMNS),
      LINES: String(rows),
    },
    protocol: true,
  });
  const terminal = await attach(child, relay, rows);
  // Known before it is armed, so that it is stopped with its case whatever happens meanwhile.
  context.background.terminals.set(input.as ?? '', terminal);
  await withinFair([relay.answered, child.ended], context.limitMs);
  return terminal;
}

/** A screen is painted in pieces, and half of one may be as expected already: it is looked at when nothing was written for so long … */
const STILL_MS = 40;
/** … or when it never stands still, as one that shows a clock. */
const MOST_PAINTINGS = 8;

async function attach(child: Child, relay: Relay, rows: number): Promise<TerminalRun> {
  const send = (text: string): void => void child.stdin?.write(text);
  // A program that has ended takes no more keys: nothing to report.
  child.stdin?.on('error', () => undefined);
  const screen = await openScreen(rows, send);
  const watchers = new Set<() => void>();
  let written = 0;
  const wake = (): void => {
    written += 1;
    for (const watcher of watchers) watcher();
  };
  child.stdout?.on('data', (bytes: Buffer) => void screen.show(bytes).then(wake));
  void child.drained.then(wake);
  /** True when the condition holds after an output, or does already, within so much time. */
  const until = async (condition: () => boolean, limitMs: number): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watcher = (): void => {
      if (condition()) resolve();
    };
    watchers.add(watcher);
    watcher();
    const came = await withinFair([promise], limitMs);
    watchers.delete(watcher);
    return came;
  };
  /** Holds once something was written after this moment. */
  const paints = (): (() => boolean) => {
    const began = written;
    return () => written !== began;
  };
  let before = screen.look();
  const observe = (): Observation => describe(screen, before, child);
  return {
    type: (keys) => {
      before = screen.look();
      for (const key of keys) send(screen.bytesOf(key));
    },
    look: async (wanted, limitMs) => {
      const deadline = fairNow() + limitMs;
      const left = (): number => Math.max(0, deadline - fairNow());
      const good = (): boolean => child.end() !== undefined || wanted(observe());
      for (let paintings = 0; await until(good, left()); paintings++) {
        if (child.end() !== undefined || paintings === MOST_PAINTINGS) break;
        if (!(await until(paints(), Math.min(STILL_MS, left())))) break;
      }
      return observe();
    },
    stop: () => {
      child.signal('SIGKILL');
      relay.stop();
    },
  };
}

function describe(screen: Screen, before: string, child: Child): Observation {
  const lines = screen.lines();
  const end = child.end();
  const code = /^exited with code (\d+)$/.exec(end ?? '')?.[1];
  return {
    screen: lines.join('\n').trimEnd(),
    lines,
    changed: screen.look() !== before,
    running: end === undefined,
    ...(code === undefined ? {} : { exit: Number(code) }),
  };
}

function requireScript(): void {
  if (missingPrograms(['script']).length === 0) return;
  throw new ToolMissing('the program script (util-linux), which makes terminals and is not installed here');
}

function shellQuote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
