import type { EventEmitter } from 'node:events';
import { Command, CommanderError } from 'commander';
import { vi } from 'vitest';
import { faultExitCode, faultText } from '../../commands/fault.ts';

/** What a command printed, and the exit code it asked for. */
export interface Here {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Runs one command in this process, which spares the start of another. `add` is what puts it into the program. */
export async function runHere(add: (program: Command) => void, ...args: readonly string[]): Promise<Here> {
  const printed = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    }),
  );
  const before = process.exitCode;
  const listening = listeners();
  process.exitCode = 0;
  try {
    const program = new Command('conform').exitOverride();
    add(program);
    for (const command of program.commands) command.exitOverride();
    await program.parseAsync([...args], { from: 'user' });
    return { ...printed, code: process.exitCode };
  } catch (error) {
    if (error instanceof CommanderError) return { ...printed, code: error.exitCode === 0 ? 0 : 2 };
    return { ...printed, stderr: `${printed.stderr}${faultText(error)}\n`, code: faultExitCode(error) };
  } finally {
    process.exitCode = before;
    // A process of its own would end here, and with it what listens to its signals.
    for (const one of listeners()) {
      if (!listening.some((other) => isSame(one, other))) one.of.off(one.event, one.listener);
    }
    for (const spy of spies) spy.mockRestore();
  }
}

type Listener = (...args: unknown[]) => void;

interface Listening {
  readonly of: EventEmitter;
  readonly event: string | symbol;
  readonly listener: Listener;
}

function listeners(): readonly Listening[] {
  return [process, process.stdout, process.stderr].flatMap((of: EventEmitter) =>
    of.eventNames().flatMap((event) =>
      of
        .rawListeners(event)
        .filter(isListener)
        .map((listener) => ({ of, event, listener })),
    ),
  );
}

function isListener(value: unknown): value is Listener {
  return typeof value === 'function';
}

function isSame(one: Listening, other: Listening): boolean {
  return one.of === other.of && one.event === other.event && one.listener === other.listener;
}
