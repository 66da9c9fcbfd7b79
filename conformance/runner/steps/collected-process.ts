import { startChild } from '../sut/child.ts';

const OUTPUT_LIMIT = 8 * 1024 * 1024;

/** A program whose whole output is kept, up to a limit. */
export interface CollectedProcess {
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exit: () => { readonly code: number | null; readonly signal: string | null } | undefined;
  readonly ended: Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
}

/** Runs a program with the given standard input. */
export function spawnCollected(
  command: readonly string[],
  stdin: string,
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> | undefined },
): CollectedProcess {
  const child = startChild(command, { ...options, protocol: true });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.length < OUTPUT_LIMIT) stdout += text;
  });
  // A program that does not read its input may close it: nothing to report.
  child.stdin?.on('error', () => undefined).end(stdin);
  return {
    stdout: () => stdout,
    stderr: () => child.logs().join('\n'),
    exit: () => exitOf(child.end()),
    ended: child.drained,
    signal: child.signal,
  };
}

function exitOf(end: string | undefined): { readonly code: number | null; readonly signal: string | null } | undefined {
  if (end === undefined) return undefined;
  const code = /^exited with code (\d+)$/.exec(end)?.[1];
  const signal = /^was ended by (\w+)$/.exec(end)?.[1];
  return { code: code === undefined ? null : Number(code), signal: signal ?? null };
}
