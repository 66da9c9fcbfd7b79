// `npm run stress -- --runs N [PATTERN...]`: the suite N times, each in another order, beside processes that take every CPU (`--hogs N` of
// them; 0 where others take it already). Prints what was red, broken and unstable in each run; ends with 1 when a run accused the
// reference of something. `--into FILE` adds a line to the file for each run and counts those that stand there: what was ended goes on.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const RUN_LIMIT_MS = 10 * 60_000;
const COUNTED = ['pass', 'fail', 'error', 'inconclusive', 'unstable'] as const;
const TROUBLED: ReadonlySet<string> = new Set(COUNTED.slice(1));

/** A run as it stands in the file of `--into`. */
interface Kept {
  readonly run: number;
  readonly commit: string;
  readonly seed: number;
  readonly seconds: number;
  /** How many times as long limits were, at most, and how many waits needed that. */
  readonly stretch: number;
  readonly overtimes: number;
  /** Cases by verdict. */
  readonly summary: Readonly<Record<string, number>>;
  readonly troubled: readonly { readonly id: string; readonly verdict: string }[];
}

interface Report {
  readonly seed: number;
  readonly durationMs: number;
  readonly summary: Readonly<Record<string, number>>;
  readonly time: { readonly stretch: number; readonly overtimes: number };
  readonly cases: readonly { readonly id: string; readonly verdict: string; readonly reason?: string }[];
}

const { values, positionals } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    hogs: { type: 'string', default: String(availableParallelism()) },
    into: { type: 'string' },
  },
  allowPositionals: true,
});
const out = mkdtempSync(path.join(tmpdir(), 'conform-stress-'));
const earlier = values.into !== undefined && existsSync(values.into) ? readKept(values.into) : [];
if (values.into !== undefined) console.log(`${earlier.length} runs stand in ${values.into}`);
let accused = earlier.filter(({ summary }) => accuses(summary)).length;
try {
  for (let run = earlier.length; run < Number(values.runs); run++) {
    const report = await besideHogs(async () => runSuite(Number(values.seed) + run));
    if (report === undefined) {
      console.log(`run ${run + 1}: ended without a report`);
      accused += 1;
      continue;
    }
    const counts = COUNTED.map((verdict) => `${report.summary[verdict] ?? 0} ${verdict}`).join(', ');
    const { stretch, overtimes } = report.time;
    const seconds = Math.round(report.durationMs / 1000);
    console.log(
      `run ${run + 1}: ${counts} in ${seconds} s, limits up to ${stretch} times as long, ${overtimes} waits needed that, seed ${report.seed}`,
    );
    for (const { id, verdict, reason = '' } of report.cases.filter((one) => TROUBLED.has(one.verdict)))
      console.log(`  ${verdict} ${id}: ${reason}`);
    if (accuses(report.summary)) accused += 1;
    if (values.into !== undefined) appendFileSync(values.into, `${JSON.stringify(keptOf(report, run + 1))}\n`);
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
console.log(`${accused} of ${values.runs} runs accused somebody`);
process.exitCode = accused === 0 ? 0 : 1;

function accuses(summary: Report['summary']): boolean {
  return ['fail', 'error', 'inconclusive'].some((verdict) => (summary[verdict] ?? 0) > 0);
}

function keptOf({ seed, durationMs, summary, time, cases }: Report, run: number): Kept {
  const troubled = cases.filter(({ verdict }) => TROUBLED.has(verdict)).map(({ id, verdict }) => ({ id, verdict }));
  const { stdout } = spawnSync('git', ['rev-parse', '--short=10', 'HEAD'], { encoding: 'utf8' });
  const { stretch, overtimes } = time;
  const seconds = Math.round(durationMs / 1000);
  return { run, commit: (stdout ?? '').trim(), seed, seconds, stretch, overtimes, summary, troubled };
}

function readKept(file: string): readonly Kept[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Kept);
}

async function besideHogs<Result>(work: () => Promise<Result>): Promise<Result> {
  const hog = path.join(import.meta.dirname, 'hog.ts');
  const hogs = Array.from({ length: Number(values.hogs) }, () =>
    spawn(process.execPath, [hog, String(RUN_LIMIT_MS)], { stdio: 'ignore' }),
  );
  try {
    return await work();
  } finally {
    for (const child of hogs) child.kill('SIGKILL');
  }
}

async function runSuite(seed: number): Promise<Report | undefined> {
  const folder = path.join(out, String(seed));
  const conform = path.resolve(import.meta.dirname, '../../bin/conform.mjs');
  const child = spawn(process.execPath, [conform, 'run', ...positionals, '--seed', String(seed), '--out', folder], {
    stdio: 'ignore',
  });
  const timer = setTimeout(() => child.kill('SIGINT'), RUN_LIMIT_MS);
  await ended(child);
  clearTimeout(timer);
  return readReport(path.join(folder, 'report.json'));
}

async function ended(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => child.once('close', () => resolve()));
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
