// `npm run stress -- --runs N [PATTERN...]`: the suite N times, each in another order, beside processes that take every CPU (`--hogs N` of
// them; 0 where others take it already). Prints what was red, broken and unstable in each run; ends with 1 when a run accused the
// reference of something.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const RUN_LIMIT_MS = 10 * 60_000;
const COUNTED = ['pass', 'fail', 'error', 'inconclusive', 'unstable'] as const;
const TROUBLED: ReadonlySet<string> = new Set(COUNTED.slice(1));

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
  },
  allowPositionals: true,
});
const out = mkdtempSync(path.join(tmpdir(), 'conform-stress-'));
let accused = 0;
try {
  for (let run = 0; run < Number(values.runs); run++) {
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
    if (['fail', 'error', 'inconclusive'].some((verdict) => (report.summary[verdict] ?? 0) > 0)) accused += 1;
  }
} finally {
  rmSync(out, { recursive: true, force: true });
}
console.log(`${accused} of ${values.runs} runs accused somebody`);
process.exitCode = accused === 0 ? 0 : 1;

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
