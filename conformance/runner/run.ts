import { randomInt } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ConcreteCase } from './case/concrete-case.ts';
import { inNamespace } from './case/in-namespace.ts';
import { duplicateIds, lintCases } from './case/lint.ts';
import { readLevels, readLintRegister } from './clauses/levels.ts';
import { levelOf } from './clauses/register.ts';
import { loadCases, type FreshFile, type LoadedCases } from './case/load.ts';
import { parsedMemory, type ParsedMemory } from './case/parsed-memory.ts';
import { formatProblem, type Problem } from './case/problem.ts';
import { selectCases, wantsGenerated, type Selection } from './case/select.ts';
import { namespaceOf } from './case/vary.ts';
import type { Reporter, RunEnd, RunStart } from './report/events.ts';
import { summarize } from './report/summary.ts';
import type { CaseResult } from './schedule/case-result.ts';
import { withoutRun } from './schedule/execute-case.ts';
import { executePlan } from './schedule/execute-plan.ts';
import { planRun } from './schedule/plan.ts';
import { startInstance, type Instance } from './sut/instance.ts';
import { loadManifest, type Manifest } from './sut/manifest.ts';
import { missingPrograms } from './sut/requirements.ts';
import { ImplementationFault, UsageFault } from './sut/session.ts';
import { packageRoot } from './values/package-root.ts';
import { EXIT, exitCode } from './verdict/exit-code.ts';
import { knownFailure, knownProblems, parseKnownFailures, type KnownFailure } from './verdict/known-failures.ts';

/** What a user asks of a run. */
export interface RunRequest {
  readonly manifestFile: string;
  readonly selection: Selection;
  /** Folder of case files; that of this package when absent. */
  readonly cases?: string | undefined;
  readonly seed?: number | undefined;
  readonly repeat: number;
  readonly bail: boolean;
  readonly workers?: number | undefined;
  /** Dialect file instead of the one the manifest names. */
  readonly dialect?: string | undefined;
  /** Known-failures file; that of the manifest when absent. */
  readonly known?: string | undefined;
  /** `YYYY-MM-DD`, for entries that expire. */
  readonly today: string;
  readonly out: string;
  readonly reporters: readonly Reporter[];
  /** Folder for counterexamples of properties, written as cases; nothing is written when absent. */
  readonly regressions?: string | undefined;
  /** Aborted by Ctrl-C or a fault of the runner; the reason becomes the report's `cutShort`. */
  readonly stop: AbortSignal;
}

/**
 * THE SPINE: load, lint, select, plan, execute and judge, report. The reporters always hear of the end, whatever happens. Throws
 * UsageFault for a mistake in the request or the cases.
 */
export async function runSuite(request: RunRequest): Promise<RunEnd> {
  const manifest = withDialect(loadManifest(request.manifestFile), request.dialect);
  const known = await loadKnown(request, manifest);
  const lacking = missingPrograms(manifest.run.requires ?? []);
  if (lacking.length > 0) return skipAll(request, manifest, known, `this machine has no ${lacking.join(', ')}`);
  // The implementation starts while the cases are read: the first verdict waits for the slower of the two.
  const starting = startInstance(manifest).then(
    (instance) => ({ instance }),
    (error: unknown) => ({ error }),
  );
  try {
    const { cases, all } = await loadSelected(request);
    await mkdir(request.out, { recursive: true });
    return await report(request, startOf(request, manifest, cases), { known, all }, async (run, results, stop) => {
      const started = await starting;
      if ('error' in started) throw started.error;
      await executeRounds(cases, run, known, { request, results, stop, instance: started.instance });
      return started.instance.crashes();
    });
  } finally {
    const started = await starting;
    if ('instance' in started) await started.instance.stop();
  }
}

/** A run in which every case is left out for one reason. */
async function skipAll(
  request: RunRequest,
  manifest: Manifest,
  known: readonly KnownFailure[],
  skipped: string,
): Promise<RunEnd> {
  const { cases, all } = await loadSelected(request);
  await mkdir(request.out, { recursive: true });
  return report(request, startOf(request, manifest, cases), { known, all }, async (_run, results) => {
    for (const one of Array.from({ length: request.repeat }, () => cases).flat()) {
      const result = { ...withoutRun(one, { skipped }), sinceStartMs: performance.now() };
      results.push(result);
      for (const reporter of request.reporters) reporter.finished?.(result, results.length);
    }
    return Promise.resolve(0);
  });
}

function withDialect(manifest: Manifest, file: string | undefined): Manifest {
  return file === undefined ? manifest : { ...manifest, dialect: path.resolve(file) };
}

type Execution = (run: RunStart, results: TimedResult[], stop: Stop) => Promise<number>;

/** A result, and when it came: the origin of performance.now() is the start of the process, so this is what a person waits. */
type TimedResult = CaseResult & { readonly sinceStartMs: number };

/** Ends a run early: by the user, or by --bail. */
interface Stop {
  readonly signal: AbortSignal;
  readonly bail: () => void;
}

/** Lets the reporters follow an execution; the end is told whatever happens in between. */
async function report(
  request: RunRequest,
  run: RunStart,
  { known, all }: { readonly known: readonly KnownFailure[]; readonly all: readonly ConcreteCase[] },
  execution: Execution,
): Promise<RunEnd> {
  for (const reporter of request.reporters) reporter.started?.(run);
  const began = performance.now();
  const results: TimedResult[] = [];
  const outcome = await watch(request, async (stop) => execution(run, results, stop));

  // Only a run that was not cut short can say that a listed failure is gone.
  const problems =
    outcome.stopped === undefined && outcome.bailed !== true
      ? knownProblems(
          known,
          named(results),
          request.today,
          all.map(({ id }) => id),
        )
      : [];
  const listed = problems.map(({ entry, problem }) => `known failure ${entry.case}: ${problem}`).join('; ');
  const end: RunEnd = {
    ...run,
    results,
    durationMs: performance.now() - began,
    summary: summarize(results),
    exitCode: exitCode({
      planned: outcome.bailed === true ? results.length : run.total,
      results: results.map(asOutcome),
      knownProblems: problems.length,
      ...(outcome.stopped === undefined ? {} : { stopped: outcome.stopped }),
    }),
    cutShort: outcome.why,
    problems: listed === '' ? undefined : listed,
    crashes: outcome.crashes,
    firstVerdictMs: results[0]?.sinceStartMs,
  };
  for (const reporter of request.reporters) await reporter.ended(end);
  return end;
}

/** The cases of a folder, expanded, without problems. Throws UsageFault with every problem as FILE:LINE:COL. */
export async function loadChecked(folder?: string): Promise<readonly ConcreteCase[]> {
  return (await load(parsedMemory(), folder)).cases;
}

async function load(
  memory: ParsedMemory,
  folder: string | undefined,
  only?: (file: string) => boolean,
): Promise<LoadedCases> {
  const root = packageRoot();
  const levels = await readLevels(path.join(root, 'docs/spec/clauses'));
  const loaded = await loadCases(folder ?? path.join(root, 'conformance/cases'), {
    relativeTo: root,
    levelOf: (clauses) => levelOf(levels, clauses),
    memory,
    ...(only === undefined ? {} : { only }),
  });
  if (loaded.problems.length > 0) throw new UsageFault(loaded.problems.map(formatProblem).join('\n'));
  return loaded;
}

async function loadSelected(
  request: RunRequest,
): Promise<{ readonly cases: readonly ConcreteCase[]; readonly all: readonly ConcreteCase[] }> {
  const generated = wantsGenerated(request.selection.patterns);
  const memory = parsedMemory();
  const { cases: all, fresh } = await load(
    memory,
    request.cases,
    (file) => generated || file !== 'resources/generated.yaml',
  );
  const folder = path.relative(packageRoot(), request.cases ?? path.join(packageRoot(), 'conformance/cases'));
  const { cases, unmatched } = selectCases(all, request.selection, folder);
  if (unmatched.length > 0) throw new UsageFault(`no case matches ${unmatched.join(', ')}`);
  if (cases.length === 0) throw new UsageFault('the selection leaves no case');
  const wrong = await lint(all, fresh);
  throwForFiles(wrong, new Set(cases.map(({ file }) => file)));
  const wrongFiles = new Set(wrong.map(({ file }) => file));
  for (const { name, text, value } of fresh) if (!wrongFiles.has(name)) memory.keep(text, value);
  return { cases, all };
}

async function loadKnown(request: RunRequest, manifest: Manifest): Promise<readonly KnownFailure[]> {
  const file =
    request.known ?? (manifest.known === undefined ? undefined : path.resolve(manifest.folder, manifest.known));
  if (file === undefined) return [];
  try {
    return parseKnownFailures(file, await readFile(file, 'utf8'));
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error));
  }
}

function startOf(request: RunRequest, manifest: Manifest, cases: readonly ConcreteCase[]): RunStart {
  return {
    implementation: manifest.implementation,
    manifest: request.manifestFile,
    seed: request.seed ?? randomInt(2 ** 31),
    total: cases.length * request.repeat,
    workers: request.workers ?? manifest.tune.parallel,
  };
}

/**
 * Mistakes that the schema does not see, in files that are not remembered as good. Names of the gallery are left to `conform lint`:
 * what a case kills does not change how it runs.
 */
async function lint(all: readonly ConcreteCase[], fresh: readonly FreshFile[]): Promise<readonly Problem[]> {
  const names = new Set(fresh.map(({ name }) => name));
  if (names.size === 0) return duplicateIds(all);
  const register = await readLintRegister(path.join(packageRoot(), 'docs/spec'));
  const cases = all.filter(({ file }) => names.has(file));
  return lintCases(cases, { register }, all);
}

/** Throws UsageFault with every problem of files that are to run. */
function throwForFiles(problems: readonly Problem[], files: ReadonlySet<string>): void {
  const found = problems.filter(({ file }) => files.has(file));
  if (found.length > 0) throw new UsageFault(found.map(formatProblem).join('\n'));
}

interface Outcome {
  readonly stopped?: 'implementation' | 'harness' | 'interrupted';
  readonly why?: string;
  /** Ended by --bail: what was left out is the user's wish. */
  readonly bailed?: boolean;
  readonly crashes: number;
}

/** Runs the execution and says how it ended; never rejects. */
async function watch(request: RunRequest, execution: (stop: Stop) => Promise<number>): Promise<Outcome> {
  const bail = new AbortController();
  const stop = { signal: AbortSignal.any([request.stop, bail.signal]), bail: () => bail.abort() };
  try {
    const crashes = await execution(stop);
    if (request.stop.aborted) return { stopped: 'interrupted', why: String(request.stop.reason), crashes };
    return bail.signal.aborted ? { why: 'the first failure, as --bail asks', bailed: true, crashes } : { crashes };
  } catch (error) {
    if (request.stop.aborted) return { stopped: 'interrupted', why: String(request.stop.reason), crashes: 0 };
    if (error instanceof ImplementationFault) return { stopped: 'implementation', why: error.message, crashes: 0 };
    return {
      stopped: 'harness',
      why: error instanceof Error ? (error.stack ?? error.message) : String(error),
      crashes: 0,
    };
  }
}

interface Rounds {
  readonly request: RunRequest;
  readonly results: TimedResult[];
  readonly stop: Stop;
  readonly instance: Instance;
}

/** All rounds of --repeat, each in its own order; adds to `results`. */
async function executeRounds(
  cases: readonly ConcreteCase[],
  run: RunStart,
  known: readonly KnownFailure[],
  rounds: Rounds,
): Promise<void> {
  const { request, results, stop, instance } = rounds;
  for (let round = 1; round <= request.repeat && !stop.signal.aborted; round++) {
    await executePlan(planRun(ofRound(cases, round), run.seed + round - 1), {
      instance,
      workers: run.workers,
      known: (one) => asKnown(knownFailure(known, one.id, request.today)),
      property: async (one, on) => {
        // Loaded for the first property only: the generators are heavy and the first verdict does not need them.
        const { runProperty } = await import('./fuzz/run-property.ts');
        return runProperty(one, on, { seed: run.seed, signal: stop.signal, regressions: request.regressions });
      },
      stop: stop.signal,
      report: (result) => {
        const numbered = request.repeat === 1 ? result : { ...result, round };
        results.push({ ...numbered, sinceStartMs: Math.round(performance.now()) });
        for (const reporter of request.reporters) reporter.finished?.(numbered, results.length);
        if (request.bail && isBad(result)) stop.bail();
      },
    });
  }
}

/** What an implementation remembers of a round (a cache, a used up limit) must not meet the next one. */
function ofRound(cases: readonly ConcreteCase[], round: number): readonly ConcreteCase[] {
  return round === 1 ? cases : cases.map((one) => inNamespace(one, namespaceOf(`${one.id} round ${round}`)));
}

function isBad(result: CaseResult): boolean {
  return result.case.level === 'must' && ['fail', 'error', 'inconclusive', 'stale'].includes(result.verdict);
}

function asKnown(entry: KnownFailure | undefined): { readonly reason: string; readonly message?: string } | undefined {
  if (entry === undefined) return undefined;
  return { reason: entry.reason, ...(entry.message === undefined ? {} : { message: entry.message }) };
}

function named(
  results: readonly CaseResult[],
): readonly { readonly id: string; readonly verdict: CaseResult['verdict'] }[] {
  return results.map((result) => ({ id: result.case.id, verdict: result.verdict }));
}

function asOutcome(result: CaseResult): {
  verdict: CaseResult['verdict'];
  level: ConcreteCase['level'];
  fault?: NonNullable<CaseResult['fault']>;
} {
  return {
    verdict: result.verdict,
    level: result.case.level,
    ...(result.fault === undefined ? {} : { fault: result.fault }),
  };
}

/** Exit code for something thrown out of a command. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UsageFault ? EXIT.usage : EXIT.broken;
}
