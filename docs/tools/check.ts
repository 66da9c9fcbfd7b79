// `npm run check`: every check that needs no running proxy. `--fast` leaves out the slow ones.
import { spawn } from 'node:child_process';

interface Check {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly slow?: boolean;
}

const CHECKS: readonly Check[] = [
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
  { name: 'lint', command: ['oxlint', '--config', '.oxlintrc.json', '--quiet'] },
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'imports', command: ['node', 'docs/tools/check-imports.ts'] },
  { name: 'names', command: ['node', 'docs/tools/check-names.ts'] },
  { name: 'generated docs', command: ['node', 'docs/tools/generate.ts', '--check'] },
  { name: 'wire modules', command: ['node', 'docs/tools/check-wire.ts'] },
  { name: 'schemas', command: ['node', 'bin/conform.mjs', 'schema', 'check'] },
  { name: 'clauses', command: ['node', 'bin/conform.mjs', 'clauses', 'check'] },
  { name: 'cases', command: ['node', 'bin/conform.mjs', 'lint'] },
  { name: 'gallery texts', command: ['node', 'bin/conform.mjs', 'gallery', '--check'] },
];

const fast = process.argv.includes('--fast');
const LANES = 2;
const left = CHECKS.filter(({ slow }) => !fast || slow !== true).values();
let failed = 0;
await Promise.all(Array.from({ length: LANES }, lane));
console.log(failed === 0 ? 'check: everything is in order' : `check: ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

async function lane(): Promise<void> {
  for (const check of left) {
    const started = performance.now();
    const { ok, output } = await run(check);
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${check.name} (${Math.round(performance.now() - started)} ms)`);
    if (ok) continue;
    failed += 1;
    process.stdout.write(`${output}\n`);
  }
}

async function run({ command: [program, ...rest] }: Check): Promise<{ ok: boolean; output: string }> {
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += String(error);
      resolve(null);
    });
    child.once('close', resolve);
  });
  return { ok: code === 0, output };
}
