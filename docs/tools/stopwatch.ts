// Walks through docs/guide/first-verdict.md as a stranger would: every block of shell, one after the other, in an empty folder with an empty
// home and an empty cache of npm, and writes down how long it took: node docs/tools/stopwatch.ts [TARBALL]. Without a tarball it packs one.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const GUIDE = path.join(ROOT, 'docs/guide/first-verdict.md');
const LOG = path.join(ROOT, 'reports/stopwatch.log');
const MOST_MINUTES = 15;

const folder = mkdtempSync(path.join(tmpdir(), 'stopwatch-'));
try {
  const tarball = process.argv[2] === undefined ? pack() : path.resolve(process.argv[2]);
  const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text ?? '');
  // A shell for all of them, as a person has; the package is the one that was just made, and each block ends with its time.
  const script = blocks.map(
    (text, index) => `${text.replace('npm install --save-dev proxy-conformance', 'npm install --save-dev "$TARBALL"')}
printf '== block ${index + 1} done after %s s\\n' "$SECONDS"
`,
  );
  const from = performance.now();
  const ran = spawnSync('bash', ['-e', '-c', script.join('\n')], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    // Nothing of whoever runs this but where programs are.
    env: { HOME: folder, PATH: pathWithoutThisPackage(), TARBALL: tarball, NO_COLOR: '1', CI: '1', ...registries() },
  });
  const minutes = (performance.now() - from) / 60_000;
  const verdict = `${blocks.length} blocks in ${minutes.toFixed(1)} minutes, exit code ${ran.status ?? 1}`;
  const text = [ran.stdout, ran.stderr].filter((part) => part !== '').join('\n== standard error\n');
  writeFileSync(LOG, `${withoutPlaces(text, tarball)}\n== ${verdict}\n`);
  console.log(verdict);
  process.exitCode = ran.status === 0 && minutes < MOST_MINUTES ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack(): string {
  spawnSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT, stdio: 'inherit' });
  const name = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  if (name === undefined) throw new Error('npm pack wrote no tarball');
  return path.join(folder, name);
}

/** `npm run` and editors put the programs of this package first, the Node it brings among them; a stranger has none of them. */
function pathWithoutThisPackage(): string {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.filter((one) => !one.includes('node_modules')).join(path.delimiter);
}

/** Where packages come from is a setting of the machine, and no part of the walk. */
function registries(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_(registry|cafile)|PIP_|SSL_|NODE_EXTRA_CA|https?_proxy|no_proxy)/i.test(name),
  );
  return {
    npm_config_registry: spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim(),
    ...Object.fromEntries(kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
  };
}

/** A log is read elsewhere: no folder and no address of this machine. */
function withoutPlaces(text: string, tarball: string): string {
  return text
    .replaceAll(tarball, 'proxy-conformance.tgz')
    .replaceAll(path.basename(tarball), 'proxy-conformance.tgz')
    .replaceAll(/file:[./]*\S*?(?=proxy-conformance\.tgz)/g, 'file:')
    .replaceAll(folder, '~')
    .replaceAll(/https?:\/\/(?!127\.0\.0\.1)[^\s"']+/g, 'URL');
}
