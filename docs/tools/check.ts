// `npm run check`: every check that needs no running proxy. `--fast` leaves out the slow ones.
import { spawnSync } from 'node:child_process';

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
let failed = 0;
for (const { name, command, slow } of CHECKS) {
  if (fast && slow === true) continue;
  const started = performance.now();
  const [program, ...rest] = command;
  const { status, stdout, stderr, error } = spawnSync(program, rest, { encoding: 'utf8' });
  const ok = status === 0;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${Math.round(performance.now() - started)} ms)`);
  if (!ok) {
    failed += 1;
    process.stdout.write(`${stdout ?? ''}${stderr ?? ''}${error === undefined ? '' : String(error)}\n`);
  }
}
console.log(failed === 0 ? 'check: everything is in order' : `check: ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
