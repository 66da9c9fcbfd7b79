// Builds the package, installs its tarball in an empty folder and runs both commands there.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const MOST_MEGABYTES = 120;
/** By operations, on the wire and in traces: that they run is the question here, and what they say is answered in the checkout. */
const CASES = [
  'attachment.targets',
  'attachment.conditional',
  'attachment.merge.default-inheritance',
  'attachment.merge.inline-backend-policies',
];
/** What people do first with a package, each with its words. */
const OTHERS = [
  ['conform', 'explain', 'MERGE-006'],
  ['conform', 'search', 'merge', 'rules'],
  ['conform', 'show', 'mcp.targets.one'],
  ['conform', 'new', '--clause', 'MERGE-006'],
  ['conform', 'lint'],
  ['refproxy', 'validate', '-f', 'node_modules/proxy-conformance/examples/quick-start/proxy.yaml'],
] as const;

const folder = mkdtempSync(path.join(tmpdir(), 'proxy-conformance-'));
try {
  const packed = path.join(folder, 'packed');
  run('mkdir', ['-p', packed], '.');
  // As packing does it, but without 'prepare': that makes the bundles anew from which others are being started.
  run('npm', ['run', '--silent', 'prepack'], '.');
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', packed], '.');
  const tarball = readdirSync(packed).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack wrote no tarball');
  const empty = path.join(folder, 'empty');
  run('mkdir', ['-p', empty], '.');
  writeFileSync(path.join(empty, 'package.json'), '{ "name": "empty", "private": true }\n');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', path.join(packed, tarball)], empty);
  const help = run('npx', ['refproxy', '--help'], empty);
  if (!help.includes('serve')) throw new Error('refproxy --help does not name the command serve');
  // Other stages run beside this one: a case that was slow once and is green alone says nothing of the package.
  const output = run('npx', ['conform', 'run', ...CASES, '--allow-unstable'], empty);
  if (!/\d+ pass/.test(output)) throw new Error(`the installed suite ran no case: ${output}`);
  // npx has shown above that it finds them; what it starts is this.
  for (const [command, ...words] of OTHERS) run(path.join('node_modules', '.bin', command), words, empty);
  const manifest = path.join(empty, 'conformance', 'implementation.yaml');
  run(
    'npx',
    ['proxy-conformance', 'init', '--name', 'mine', '--way', 'adapter', '--language', 'python', '--no-ci'],
    empty,
  );
  if (!existsSync(manifest)) throw new Error('conform init wrote no implementation.yaml');
  const gallery = spawnSync('npx', ['conform', 'gallery', 'mcp-rules-on-http'], { cwd: empty, encoding: 'utf8' });
  if (!gallery.stderr.includes('clone of the repository')) throw new Error(`conform gallery says ${gallery.stderr}`);
  const megabytes = Math.round(bytesBelow(path.join(empty, 'node_modules')) / 1e6);
  if (megabytes > MOST_MEGABYTES) throw new Error(`what is installed has ${megabytes} MB without Node`);
  console.log(`installed: ${megabytes} MB without Node`);
  console.log('the installed package runs: refproxy --help, conform run');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The bytes of what is installed, without the Node that is. */
function bytesBelow(place: string): number {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules/node-linux-'))
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
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
