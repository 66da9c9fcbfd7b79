// `npm test`, the second half of `npm cit`: every check and every test, as CI runs them. The last line is `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { EXIT } from '../../conformance/runner/verdict/exit-code.ts';
import { failedTests } from './failed-tests.ts';

interface Count {
  readonly passed: number;
  readonly failed: number;
}

interface Stage {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Counts what the stage tested, from its output or from a file it wrote; one test by default. */
  readonly count?: (output: string) => Count;
  /** The stage that says alone, at the end, whether what failed beside others fails; none when that is plain already. */
  readonly again?: (output: string, code: number) => Stage | undefined;
  /** Why the stage cannot run on this machine; said aloud, and neither passed nor failed. */
  readonly lacking?: () => string | undefined;
}

const conform = (name: string, ...rest: readonly string[]): Stage => ({
  name,
  command: ['node', 'bin/conform.mjs', ...rest],
});

/**
 * All of them take longer than CI has: a commit runs those that something may have made harmless since all of them were killed, and draws
 * some of the others. `npm run gallery` runs them all, and who did writes the commit down.
 */
const DRAWN_DEFECTS = 15;
/** All variants are there at once, so what is drawn are cases, beside those that changed. */
const DRAWN_FOR_VARIANTS = 250;
const LAST_WHOLE_GALLERY = 'conformance/gallery/last-whole-run.json';
const SINCE = sinceLastWhole();
const DIALECT_SHARDS = 6;
const HTTP2_SHARDS = 4;
/** Of changed documents for the API server, beside all that cases hand over; its tool draws five times as many by itself. */
const CHANGED_DOCUMENTS = 1000;
const FUZZED_SECONDS = 60;

const REPORT = 'reports/latest/report.json';
/** Of the output of a stage that failed: of the lines that say so, and of those at its end. */
const MOST_LINES = 15;
const SAYS_SO = /^\s*(?:FAIL(?:ED)?|SURVIVED|ERROR|INCONCLUSIVE|STALE)\b/i;
/** What every stage takes on a slow machine, also the gallery after many changes. */
const LIMIT_MS = 40 * 60_000;
/** Of the times in /proc, on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
/** Verdicts that accuse somebody. */
const BAD: readonly string[] = ['fail', 'inconclusive', 'stale', 'error'];

/** First and alone: what is unstable here is so without any neighbour. */
const ALONE: readonly Stage[] = [
  { ...conform('suite', 'run'), count: () => countReport(REPORT), again: unstableAgain },
  // Before any other run writes beside it: what is red shows its exchanges, what went well shows no credential.
  {
    name: 'no credential in what the run wrote',
    command: ['node', 'docs/tools/check-report-secrets.ts', 'reports/latest'],
  },
];

/** A run of the suite beside others: one that is slow there and green when it is repeated alone says nothing of what it is about. */
const beside = (name: string, out: string, ...rest: readonly string[]): Stage =>
  conform(name, 'run', ...rest, '--out', `reports/latest/${out}`, '--allow-unstable');

/**
 * None of these keeps two CPUs busy by itself, so three of them run at a time, about the longest first, and who is done takes the next. A
 * machine that is busy with all makes unstable cases, not red ones.
 */
const SHARED: readonly Stage[] = [
  {
    name: 'unit tests',
    command: ['vitest', 'run', '--reporter=default', '--project=!fuzzed'],
    count: countVitest,
    again: unitTestsAgain,
  },
  {
    ...beside('suite on Envoy', 'envoy', '--impl', 'examples/envoy/implementation.yaml'),
    count: () => countReport('reports/latest/envoy/report.json'),
    lacking: () =>
      finds('envoy') || existsSync('.cache/envoy/envoy')
        ? undefined
        : 'this machine has no Envoy (examples/envoy/README.md says how to get one)',
  },
  { name: 'check', command: ['node', 'docs/tools/check.ts'], count: countLines },
  {
    name: 'definitions on an API server',
    command: ['node', 'docs/tools/check-crds.ts', '--changes', String(CHANGED_DOCUMENTS)],
    count: (output) => (/^not run: /m.test(output) ? { passed: 0, failed: 0 } : { passed: 1, failed: 0 }),
    lacking: () => (finds('go') ? undefined : 'this machine has no Go (https://go.dev/dl)'),
  },
  {
    ...beside('suite on nginx', 'nginx', '--impl', 'examples/nginx/implementation.yaml'),
    count: () => countReport('reports/latest/nginx/report.json'),
    lacking: () => (finds('nginx') ? undefined : 'this machine has no nginx (Debian: apt-get install nginx)'),
  },
  {
    ...conform('gallery', 'gallery', ...SINCE, '--draw', String(DRAWN_DEFECTS), '--seed', seedOfCommit()),
    count: countGallery,
    again: survivorsAgain,
  },
  // The cases made of boundaries say nothing about a dialect that those written by hand do not say; a commit draws a sixth of these.
  beside(
    'suite through a dialect',
    'dialect',
    '--shard',
    shardOfCommit(DIALECT_SHARDS),
    '--skip',
    'resources.generated*',
    '--impl',
    'examples/dialect/implementation.yaml',
  ),
  lawfulVariants(),
  // What a policy does to a request of HTTP/1.1 it does to one of HTTP/2: the same cases, of which a commit draws a quarter, asked in the other version.
  beside('suite over HTTP/2', 'http2', '--http2', '--level', 'must', '--shard', shardOfCommit(HTTP2_SHARDS)),
  { name: 'soak', command: ['node', 'bench/soak/main.ts', '--seconds', '15'] },
  {
    name: 'routing and statuses through a real API server',
    command: ['examples/api-server/through-a-server.sh', 'routing', 'resources.status', '--allow-unstable'],
    count: () => countReport('reports/latest/api-server/report.json'),
    lacking: whyNoApiServer,
  },
  { name: 'hostile requests and answers', command: ['node', 'bench/hostile/main.ts'] },
  // A gateway of language models that nobody here wrote; it comes with the other packages.
  beside('AI traffic on Portkey', 'portkey', 'ai', '--level', 'must', '--impl', 'examples/portkey/implementation.yaml'),
  beside('suite on the tiny proxy', 'tiny-proxy', '--impl', 'examples/tiny-proxy/implementation.yaml'),
  beside('suite through the shell adapter', 'shell', '--impl', 'examples/shell/implementation.yaml'),
  beside(
    'routing with an address per Gateway',
    'addressed',
    'routing',
    '--impl',
    'examples/addressed/implementation.yaml',
  ),
];

/** One process runs its null proxies in one thread, so two halves, one a CPU, end sooner than the whole. */
const NULLS = readdirSync('conformance/gallery/nulls')
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => path.basename(file, '.yaml'))
  .toSorted();
const HALF = Math.ceil(NULLS.length / 2);
/** Of more than five thousand cases; those that changed run always, and whoever moves the pointer of the gallery on runs them all. */
const DRAWN_FOR_NULLS = 500;

/** What is green while others take every CPU, where limits by the clock are generous, has to be green alone too. */
const nulls = (name: string, ids: readonly string[]): Stage => {
  const draw = [...SINCE, '--draw', String(DRAWN_FOR_NULLS), '--seed', seedOfCommit()];
  const alone = conform(`${name}, alone`, 'gallery', '--null', ...ids, ...draw);
  return { ...alone, name, again: (_, code) => (code === EXIT.failed ? alone : undefined) };
};

/** A case that is red was red twice, but beside others even that may be for want of time. */
function lawfulVariants(): Stage {
  const draw = [...SINCE, '--draw', String(DRAWN_FOR_VARIANTS), '--seed', seedOfCommit()];
  const stage = conform('lawful variants', 'gallery', '--lawful', ...draw);
  const alone = { ...stage, name: `${stage.name}, alone` };
  return { ...stage, again: (_, code) => (code === EXIT.failed ? alone : undefined) };
}

/**
 * Three things at a time, two of which take every CPU for longer than the suite beside them lasts, which would otherwise have hogs beside it that
 * do nothing.
 */
const BUSY: readonly (readonly Stage[])[] = [
  [
    {
      name: 'suite in another order, while others take every CPU',
      command: ['node', 'bench/stress/main.ts', '--hogs', '0', '--seed', seedOfCommit()],
    },
  ],
  [
    nulls('null proxies, first half', NULLS.slice(0, HALF)),
    {
      name: 'byte parsers fuzzed',
      command: ['node', 'docs/tools/fuzz-parsers.ts', String(FUZZED_SECONDS)],
      count: countVitest,
    },
  ],
  [
    nulls('null proxies, second half', NULLS.slice(HALF)),
    { name: 'installed package', command: ['node', 'docs/tools/check-package.ts'] },
  ],
];

/** The part of the cases that this commit is tried with, as `2/3`. */
function shardOfCommit(count: number): string {
  return `${(Number(seedOfCommit()) % count) + 1}/${count}`;
}

function whyNoApiServer(): string | undefined {
  if (process.getuid?.() !== 0) return 'a network namespace needs root';
  const absent = ['unshare', 'ip', 'kubectl', 'go', 'openssl'].find((program) => !finds(program));
  if (absent !== undefined) return `this machine has no ${absent}`;
  const programs = process.env['API_SERVER_PROGRAMS'] ?? '.cache/real-api-server';
  return ['etcd', 'kube-apiserver'].every((program) => existsSync(path.join(programs, program)))
    ? undefined
    : 'kube-apiserver and etcd were not built here (npm run real-api-server)';
}

let cpuSeen = 0;
const total = { passed: 0, failed: 0 };
const again: Stage[] = [];
const times: { readonly name: string; readonly seconds: number; readonly cpu: number | undefined }[] = [];
/** What stages that failed said: who keeps only the end of this output still reads why it is red. */
const red: { readonly name: string; readonly code: number; readonly said: string }[] = [];
await inTurn(ALONE);
const shared = SHARED.values();
await Promise.all([inTurn(shared), inTurn(shared), inTurn(shared)]);
await Promise.all(BUSY.map(inTurn));
await inTurn(again);
const cpuInAll = Math.round(times.reduce((sum, { cpu = 0 }) => sum + cpu, 0));
console.log(
  `\nSeconds of each stage, and of a CPU, the longest first (${Math.round(performance.now() / 1000)} and ${cpuInAll} in all):`,
);
for (const { name, seconds, cpu } of times.toSorted((one, other) => other.seconds - one.seconds))
  console.log(
    `${String(seconds).padStart(5)} ${(cpu === undefined ? '' : String(Math.round(cpu))).padStart(5)}  ${name}`,
  );
for (const { name, code, said } of red) console.log(`\nFailed: ${name}, exit code ${code}; of what it said:\n${said}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** Calls that share an iterator share its stages. */
async function inTurn(stages: Iterable<Stage>): Promise<void> {
  for (const stage of stages) {
    const lacking = stage.lacking?.();
    if (lacking !== undefined) {
      console.log(`\n== ${stage.name}: not run: ${lacking}`);
      continue;
    }
    const started = performance.now();
    console.log(`\n== ${stage.name}: ${stage.command.join(' ')}`);
    const { code, output, cpu } = await run(stage.command);
    const counted = stage.count?.(output) ?? { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
    const bad = code === 0 ? counted.failed : Math.max(counted.failed, 1);
    const alone = bad === 0 ? undefined : stage.again?.(output, code);
    if (alone !== undefined) again.push(alone);
    const failed = alone === undefined ? bad : 0;
    if (failed > 0) red.push({ name: stage.name, code, said: mainLines(output) });
    total.passed += counted.passed;
    total.failed += failed;
    const seconds = Math.round((performance.now() - started) / 1000);
    times.push({ name: stage.name, seconds, cpu });
    const later = alone === undefined ? '' : `, ${bad} to be judged alone at the end`;
    console.log(`== ${stage.name}: ${counted.passed} passed, ${failed} failed${later} in ${seconds} s`);
  }
}

function mainLines(output: string): string {
  const lines = output.trimEnd().split('\n');
  const end = Math.max(lines.length - MOST_LINES, 0);
  return [
    ...lines
      .slice(0, end)
      .filter((line) => SAYS_SO.test(line))
      .slice(0, MOST_LINES),
    ...lines.slice(end),
  ].join('\n');
}

/**
 * A machine that is busy with other stages may be too slow for a test, as it may be for a case: what is red again with nothing beside it is a
 * failure, and what is not is said here.
 */
function unitTestsAgain(output: string): Stage | undefined {
  const failed = failedTests(output);
  if (failed === undefined) return undefined;
  for (const name of failed.tests) console.log(`unstable unless it fails alone: ${name}`);
  return {
    name: `${failed.tests.length} unit tests that failed beside others, alone`,
    command: ['vitest', 'run', '--reporter=default', ...failed.files],
    count: (alone) => ({ passed: failed.tests.length - countVitest(alone).failed, failed: countVitest(alone).failed }),
  };
}

/**
 * A limit by the clock forgives what a busy machine takes, and beside other stages that may be all that a defect does: who survives alone too
 * has not been caught.
 */
function survivorsAgain(output: string): Stage | undefined {
  const ids = [...output.matchAll(/^SURVIVED\s+(\S+)/gm)].flatMap(([, id]) => id ?? []);
  // Where something else is wrong too, or nothing could run at all, there is nothing to wait for.
  if (ids.length === 0 || countGallery(output).failed > ids.length) return undefined;
  for (const id of ids) console.log(`not caught beside other stages, to be caught alone: ${id}`);
  return {
    ...conform(`${ids.length} defects that survived beside others, alone`, 'gallery', ...ids),
    count: countGallery,
  };
}

/**
 * A machine that stands still for half a second makes a case unstable that is none. Where the run says that nothing is worse, and was not cut short
 * either, the unstable ones have to pass five times over.
 */
function unstableAgain(_output: string, code: number): Stage | undefined {
  if (code !== EXIT.unstable) return undefined;
  const cases = readReport(REPORT)?.cases ?? [];
  const unstable = cases.filter(({ verdict }) => verdict === 'unstable').map(({ id }) => id);
  if (unstable.length === 0) return undefined;
  const out = 'reports/latest/again';
  return {
    ...conform(`${unstable.length} unstable cases, five times`, 'run', ...unstable, '--repeat', '5', '--out', out),
    count: () => countReport(`${out}/report.json`),
  };
}

function finds(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.some((folder) => existsSync(path.join(folder, program)));
}

/** A clone may hold no history, and then there is nothing to compare with. */
function sinceLastWhole(): readonly string[] {
  const { commit } = JSON.parse(readFileSync(LAST_WHOLE_GALLERY, 'utf8')) as { readonly commit: string };
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`]);
  if (status === 0) return ['--since', commit];
  console.log(`git does not know ${commit}: what changed since is not looked for, and defects are only drawn`);
  return [];
}

/** A number the commit determines; 1 where there is no repository. */
function seedOfCommit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' });
  return String(Number.parseInt((stdout ?? '').slice(0, 7), 16) || 1);
}

async function run([program, ...rest]: readonly [string, ...string[]]): Promise<{
  readonly code: number;
  readonly output: string;
  /** Seconds of a CPU, with all that it started and waited for. */
  readonly cpu: number | undefined;
}> {
  const child = spawn(program, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: 'true', FORCE_COLOR: '0', NO_COLOR: '1', PROPERTY_SEED: seedOfCommit() },
  });
  let output = '';
  const pass = (chunk: Buffer): void => {
    output += chunk.toString();
    process.stdout.write(chunk);
  };
  child.stdout.on('data', pass);
  child.stderr.on('data', pass);
  // One that has said all and does not end has kept CI for forty minutes. Whoever was started by it may hold its output open.
  const limit = setTimeout(() => {
    pass(Buffer.from(`FAILED: it had not ended after ${LIMIT_MS / 60_000} minutes\n`));
    child.kill('SIGKILL');
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  }, LIMIT_MS);
  let cpu: number | undefined;
  child.on('exit', () => {
    cpu = cpuOfEnded();
  });
  const code = await new Promise<number>((resolve) => {
    child.on('error', (error) => {
      output += String(error);
      resolve(127);
    });
    child.on('close', (status) => {
      resolve(status ?? 1);
    });
  });
  clearTimeout(limit);
  return { code, output, cpu };
}

/** Seconds of a CPU that children of this process took which ended since this was asked last; undefined where the system does not say. */
function cpuOfEnded(): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  // After the name, which may hold anything: user and system time of ended children are the 14th and 15th field of those.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const now = (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  const before = cpuSeen;
  cpuSeen = now;
  return now - before;
}

function countLines(output: string): Count {
  const lines = output.split('\n');
  return {
    passed: lines.filter((line) => line.startsWith('ok ')).length,
    failed: lines.filter((line) => line.startsWith('FAILED ')).length,
  };
}

function countVitest(output: string): Count {
  const plain = stripVTControlCharacters(output);
  const line = plain.split('\n').findLast((candidate) => /^\s*Tests\s/.test(candidate)) ?? '';
  const number = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  return { passed: number('passed'), failed: number('failed') };
}

function countGallery(output: string): Count {
  const lines = output.split('\n');
  const killed = lines.filter((line) => line.startsWith('killed ')).length;
  return { passed: killed, failed: lines.filter((line) => /^(SURVIVED|error)/i.test(line)).length };
}

interface ReportFile {
  readonly summary: Readonly<Record<string, number>>;
  readonly cases: readonly { readonly id: string; readonly verdict: string }[];
}

function readReport(file: string): ReportFile | undefined {
  try {
    return JSON.parse(readFileSync(path.resolve(file), 'utf8')) as ReportFile;
  } catch {
    return undefined;
  }
}

function countReport(file: string): Count {
  const report = readReport(file);
  if (report === undefined) return { passed: 0, failed: 1 };
  const { pass = 0, observe = 0, ...rest } = report.summary;
  return { passed: pass + observe, failed: BAD.reduce((sum, verdict) => sum + (rest[verdict] ?? 0), 0) };
}
