import { execFileSync, spawn } from 'node:child_process';

/** An address for documentation (RFC 5737): no machine outside has it. */
export const OWN_ADDRESS = '198.51.100.1';

/** Where programs have a network of their own: loopback, and one address that is none. */
export interface NetworkNamespace {
  /** Runs a program in it; its exit code and standard output. */
  readonly run: (command: readonly string[]) => Promise<{ readonly code: number | null; readonly stdout: string }>;
  readonly remove: () => void;
}

/** Why there can be no namespace here; undefined where there can. */
export function whyNoNamespace(): string | undefined {
  if (process.getuid?.() !== 0) return 'a network namespace needs root';
  const name = nameFor('try');
  try {
    ip('netns', 'add', name);
    ip('netns', 'del', name);
    return undefined;
  } catch (error) {
    return `ip netns add: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Makes a network namespace with an address of its own. Throws what `ip` says. */
export function makeNetworkNamespace(): NetworkNamespace {
  const name = nameFor('own');
  ip('netns', 'add', name);
  const remove = (): void => ip('netns', 'del', name);
  try {
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'addr', 'add', `${OWN_ADDRESS}/32`, 'dev', 'lo');
  } catch (error) {
    remove();
    throw error;
  }
  return { remove, run: async (command) => runIn(name, command) };
}

async function runIn(name: string, command: readonly string[]): Promise<{ code: number | null; stdout: string }> {
  const child = spawn('ip', ['netns', 'exec', name, ...command], { stdio: ['ignore', 'pipe', 'inherit'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout };
}

function nameFor(purpose: string): string {
  return `conform-${purpose}-${process.pid}`;
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
