import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const PACKAGE = 'mcp==2.3.0';

/** The interpreter of an environment that has the package; undefined, with the reason said, where there is no Python or no registry. */
export async function pythonWithMcp(): Promise<string | undefined> {
  const folder = path.join(tmpdir(), `proxy-conformance-${PACKAGE}`);
  const interpreter = path.join(folder, 'bin/python');
  if (existsSync(interpreter)) return interpreter;
  const own = mkdtempSync(path.join(tmpdir(), 'python-'));
  try {
    await run('python3', ['-m', 'venv', own]);
    await run(path.join(own, 'bin/python'), ['-m', 'pip', 'install', ...QUIETLY, '--only-binary', ':all:', PACKAGE]);
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    // Another run on this machine was faster.
    if (existsSync(interpreter)) return interpreter;
    const why = error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error);
    console.warn(`${PACKAGE} of Python cannot be installed here, so it is not tested with the proxy: ${why}`);
    return undefined;
  }
  return interpreter;
}

const QUIETLY = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '20'];

function run(program: string, argv: readonly string[]): Promise<unknown> {
  return promisify(execFile)(program, [...argv], { timeout: 120_000 });
}
