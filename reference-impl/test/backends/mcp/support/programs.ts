import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** The command of a program in `programs/`. */
export type Command = readonly [program: string, ...argv: string[]];

export interface ServerProgram extends AsyncDisposable {
  /** One for each transport it serves. */
  readonly ports: readonly number[];
}

export interface ClientProgram extends AsyncDisposable {
  /** Connects, asks what the script says, and ends the connection. */
  readonly follow: (asked: Asked) => Promise<Heard>;
}

export interface Asked {
  readonly url: string;
  readonly transport: 'streamable' | 'sse';
  /** Begins with `initialize`, or with `server/discover` and then with `initialize` where that is unknown. */
  readonly mode: 'legacy' | 'auto';
  readonly script: readonly (readonly [verb: string, ...given: unknown[]])[];
}

/** What a client got and heard. */
export const HEARD = z.strictObject({
  /** One for each verb of the script. */
  outcomes: z.array(z.unknown()),
  /** What the server asked and told, each with its params. */
  heard: z.array(z.tuple([z.string(), z.unknown()])),
});
export type Heard = z.infer<typeof HEARD>;

export function script(name: string): string {
  return path.join(import.meta.dirname, '../programs', name);
}

/** Starts a server that prints its ports in one line. */
export async function startServer([program, ...argv]: Command): Promise<ServerProgram> {
  const child = spawn(program, argv, { stdio: ['pipe', 'pipe', 'ignore'] });
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (value === undefined) throw new Error(`${argv.join(' ')} ended before it served`);
  return { ports: value.split(' ').map(Number), [Symbol.asyncDispose]: () => end(child) };
}

/** Starts a client that answers each line with a line. */
export function startClient([program, ...argv]: Command): ClientProgram {
  const child = spawn(program, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    follow: async (asked) => {
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`${argv.join(' ')} ended without an answer`);
      const answer = HEARD.safeParse(JSON.parse(value));
      if (!answer.success) throw new Error(`${argv.join(' ')} failed: ${value}`);
      return answer.data;
    },
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** Every program ends with its standard input. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  await exited;
}
