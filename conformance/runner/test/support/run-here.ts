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
    for (const spy of spies) spy.mockRestore();
  }
}
