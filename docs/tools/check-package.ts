// Builds the package, installs its tarball in an empty folder and runs both commands there.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const folder = mkdtempSync(path.join(tmpdir(), 'proxy-conformance-'));
try {
  const packed = path.join(folder, 'packed');
  run('mkdir', ['-p', packed], '.');
  run('npm', ['pack', '--silent', '--pack-destination', packed], '.');
  const tarball = readdirSync(packed).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack wrote no tarball');
  const empty = path.join(folder, 'empty');
  run('mkdir', ['-p', empty], '.');
  writeFileSync(path.join(empty, 'package.json'), '{ "name": "empty", "private": true }\n');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', path.join(packed, tarball)], empty);
  const help = run('npx', ['refproxy', '--help'], empty);
  if (!help.includes('serve')) throw new Error('refproxy --help does not name the command serve');
  const output = run('npx', ['conform', 'run', 'attachment'], empty);
  if (!/\d+ pass/.test(output)) throw new Error(`the installed suite ran no case: ${output}`);
  console.log('the installed package runs: refproxy --help, conform run attachment');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command: string, rest: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, rest, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0)
    throw new Error(`${command} ${rest.join(' ')} in ${cwd} ended with ${status}: ${stdout}${stderr}${error ?? ''}`);
  return stdout;
}
