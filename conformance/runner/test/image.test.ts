import { execFile, execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageRoot } from '../values/package-root.ts';

const run = promisify(execFile);
const root = packageRoot();
const NEEDED: readonly (readonly [string, readonly string[], string])[] = [
  ['docker', ['version'], 'no container engine answers'],
  ['git', ['rev-parse', 'HEAD'], 'this is no checkout of git'],
  ['ldd', ['--version'], 'there is no ldd'],
];
const why = whatIsMissing();
if (why !== undefined) console.warn(`no tests of Containerfile and examples/ci/image.sh: ${why}`);

describe.skipIf(why !== undefined)('the image that examples/ci/image.sh builds', { timeout: 600_000 }, () => {
  test('runs cases against the reference, as nobody in particular and without a network', async () => {
    const image = `proxy-conformance:${await version()}`;
    const before = await idOf(image);
    await run('sh', ['examples/ci/image.sh'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
    // An image of that name that was there before is whoever's built it.
    if (before === undefined)
      onTestFinished(async () => void (await run('docker', ['rmi', '--force', image])), 120_000);

    const words = ['conform', 'run', 'routing.routes.redirect', '--out', '/tmp/out'];
    const ran = await run('docker', ['run', '--rm', '--network', 'none', image, ...words]);
    expect(ran.stdout).toMatch(/^\d+ pass in /m);
    const helped = await run('docker', ['run', '--rm', '--network', 'none', image, 'refproxy', '--help']);
    expect(helped.stdout).toContain('serve');
  });
});

async function version(): Promise<string> {
  return /"version": "([^"]+)"/.exec(await readFile(path.join(root, 'package.json'), 'utf8'))?.[1] ?? '';
}

async function idOf(image: string): Promise<string | undefined> {
  const { stdout } = await run('docker', ['images', '--quiet', image]);
  return stdout.trim() === '' ? undefined : stdout.trim();
}

function whatIsMissing(): string | undefined {
  for (const [command, args, message] of NEEDED) {
    try {
      execFileSync(command, args, { cwd: root, stdio: 'ignore' });
    } catch {
      return message;
    }
  }
  return undefined;
}
