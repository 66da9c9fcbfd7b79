// `npm run check`: every check that needs no running proxy. `--fast` is what a commit waits for: the checks that have a quick form.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

type Command = readonly [string, ...string[]];

interface Check {
  readonly name: string;
  /** None where the whole form of another check says the same. */
  readonly command?: Command;
  /** The same with what it remembers of the last time, or for changed files only; without it the check is left out of `--fast`. */
  readonly quick?: () => Command | undefined;
}

const LINT: Command = ['oxlint', '--config', '.oxlintrc.json', '--quiet'];

const CHECKS: readonly Check[] = [
  {
    // The compiler that tells the rules the types also says what is wrong with them, in every project of the repository.
    name: 'lint and types',
    command: [...LINT, '--type-check'],
  },
  {
    name: 'format',
    command: ['oxfmt', '--check', '.'],
    quick: () => ['oxfmt', '--check', '.'],
  },
  { name: 'lint', quick: () => overChanged(/\.ts$/, LINT) },
  { name: 'types', quick: () => ['tsc', '-p', '.', '--incremental', '--tsBuildInfoFile', '.cache/types.json'] },
  { name: 'report page', command: ['node', 'docs/tools/build-report-page.ts', '--check'] },
  { name: 'admin page', command: ['node', 'docs/tools/build-admin-page.ts', '--check'] },
  { name: 'imports', command: ['node', 'docs/tools/check-imports.ts'] },
  {
    name: 'names',
    command: ['node', 'docs/tools/check-names.ts'],
    quick: () => ['node', 'docs/tools/check-names.ts'],
  },
  {
    name: 'state',
    command: ['node', 'docs/tools/check-state.ts'],
    quick: () => ['node', 'docs/tools/check-state.ts'],
  },
  { name: 'generated docs', command: ['node', 'docs/tools/generate.ts', '--check'] },
  { name: 'wire modules', command: ['node', 'docs/tools/check-wire.ts'] },
  { name: 'schemas', command: ['node', 'bin/conform.mjs', 'schema', 'check'] },
  {
    name: 'clauses',
    command: ['node', 'bin/conform.mjs', 'clauses', 'check'],
    quick: () => ['node', 'bin/conform.mjs', 'clauses', 'check'],
  },
  { name: 'cases', command: ['node', 'bin/conform.mjs', 'lint'] },
  { name: 'values', command: ['node', 'docs/tools/check-values.ts'] },
  { name: 'threats and defences', command: ['node', 'docs/tools/check-security.ts'] },
  { name: 'gallery texts', command: ['node', 'bin/conform.mjs', 'gallery', '--check'] },
];

const fast = process.argv.includes('--fast');
const LANES = 2;
const left = CHECKS.flatMap(({ name, command, quick }) => {
  const chosen = fast ? quick?.() : command;
  return chosen === undefined ? [] : [{ name, command: chosen }];
}).values();
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

/** The command over the files of a kind that differ from the last commit, those git does not know yet included; undefined without any. */
function overChanged(kind: RegExp, command: Command): Command | undefined {
  const found = [
    ...linesOfGit('diff', '--name-only', 'HEAD'),
    ...linesOfGit('ls-files', '--others', '--exclude-standard'),
  ];
  const files = found.filter((file) => kind.test(file) && existsSync(file));
  return files.length === 0 ? undefined : [...command, ...files];
}

function linesOfGit(...args: readonly string[]): readonly string[] {
  return spawnSync('git', args, { encoding: 'utf8' }).stdout.split('\n');
}

async function run({
  command: [program, ...rest],
}: {
  readonly command: Command;
}): Promise<{ ok: boolean; output: string }> {
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
