import { randomInt } from 'node:crypto';
import { allOverHttp2 } from './case/over-http2.ts';
import { isEverything } from './case/select.ts';
import { divisionOf } from './case/shard.ts';
import { loadKnown, requireNamedCases } from './load-known.ts';
import { loadRunnable, type LoadedSuite } from './load-suite.ts';
import type { Reporter, RunEnd, RunStart } from './report/events.ts';
import { openOut } from './report/open-out.ts';
import { ReportLost } from './report/write-report.ts';
import { beginRun, faultEnding, runEnd, type Ending } from './run-end.ts';
import type { RunRequest } from './run-request.ts';
import { openResults } from './run-results.ts';
import { caseOptions, executeRounds, type Execution } from './run-rounds.ts';
import type { CaseResult } from './schedule/case-result.ts';
import { keepDurations, recallDurations } from './schedule/past-durations.ts';
import { repeatAlone } from './schedule/repeat-alone.ts';
import { seenOnce } from './schedule/seen-once.ts';
import { workersFor } from './schedule/workers.ts';
import { clusterPrefix, runIn } from './sut/kubernetes/cluster.ts';
import { loadManifest, type Manifest } from './sut/manifest.ts';
import { UsageFault } from './sut/session.ts';
import { blockedBy, layersByNeed, listedOthers } from './verdict/blocked.ts';
import { EXIT } from './verdict/exit-code.ts';
import { probeIds } from './values/expressions/vocabulary.ts';

/**
 * THE SPINE: load, plan, execute and judge, see again what accuses somebody, report. The reporters always hear of the end, whatever
 * happens. Throws UsageFault for a mistake in the request or the cases.
 */
export async function runSuite(request: RunRequest): Promise<RunEnd> {
  const { selection, reporters, today, allowUnstable } = request;
  const manifest = attended(loadManifest(request.manifestFile, request.dialect), request);
  const known = loadKnown(request.known, manifest);
  // Before the implementation starts: reading keeps this process busy, and the limits of the start would run meanwhile.
  const besides = [...known.map((entry) => entry.case), ...probeIds()];
  const suite = inVersion(
    request,
    await loadRunnable({ folder: request.cases, selection, besides, run: runIn(manifest) }),
  );
  if (namesOwnCases(request)) await requireNamedCases(known, suite.read, request.cases);
  await openOut(request.out);
  const workers = workersFor(manifest, request.workers);
  const past = recallDurations(manifest);
  const slowFirst = suite.cases.filter(({ id }) => past.has(id)).length;
  const run = { ...runStart(request, manifest, suite), workers: workers.most, slowFirst };
  for (const reporter of reporters) reporter.started?.(run);
  const begun = beginRun(run);
  const results = openResults(reporters, request);
  const execution = { request, manifest, known, run, results, workers, past, read: suite.read };
  const ending = await settleDoubtful(await executeRounds(suite.cases, execution), execution);
  keepDurations(manifest, past, results.all);
  const end = {
    ...runEnd(begun, results.all, ending, { entries: known, today, allowUnstable }),
    parallel: workers.tale(),
  };
  return tellEnd(reporters, end);
}

/** Every reporter hears of the end, whatever became of the others. A run whose reports are not whole is never green. */
async function tellEnd(reporters: readonly Reporter[], end: RunEnd): Promise<RunEnd> {
  const lost: ReportLost[] = [];
  for (const reporter of reporters) {
    try {
      await reporter.ended(end);
    } catch (error) {
      if (!(error instanceof ReportLost)) throw error;
      lost.push(error);
    }
  }
  if (lost.length === 0) return end;
  const files = lost.map(({ file }) => file).join(', ');
  process.stderr.write(`${files}: could not be written: ${lost[0]?.why ?? ''}; the other files are whole\n`);
  return { ...end, exitCode: EXIT.broken };
}

/** With --http2 the cases whose clients may speak HTTP/2; an implementation that does not say it can has none of them to run. */
function inVersion<Loaded extends Pick<LoadedSuite, 'cases' | 'undivided'>>(
  { http2 }: RunRequest,
  suite: Loaded,
): Loaded {
  if (http2 !== true) return suite;
  return { ...suite, cases: allOverHttp2(suite.cases), undivided: allOverHttp2(suite.undivided) };
}

/** The manifest of a run that somebody attends. Throws UsageFault where there is nothing to attach to. */
function attended(manifest: Manifest, { attendant }: RunRequest): Manifest {
  if (attendant === undefined) return manifest;
  if (manifest.run.kind === 'url') return { ...manifest, attendant };
  throw new UsageFault(
    `${manifest.file}: --wait-for-attach is for run.kind url, an implementation that somebody else runs, not ${manifest.run.kind}`,
  );
}

/** The list of a manifest speaks of the cases of this package, whatever other cases its implementation is run with. */
function namesOwnCases({ known, cases }: RunRequest): boolean {
  return cases === undefined || typeof known === 'string';
}

function runStart(
  request: RunRequest,
  manifest: Manifest,
  { cases, undivided }: Pick<LoadedSuite, 'cases' | 'undivided'>,
): Omit<RunStart, 'workers' | 'slowFirst'> {
  const { shard } = request.selection;
  const division = shard === undefined ? undefined : divisionOf(undivided, shard);
  return {
    selection: {
      whole: request.cases === undefined && request.http2 !== true && isEverything(request.selection),
      ...(shard === undefined ? {} : { shard: `${shard.index}/${shard.count}`, division }),
    },
    ...(manifest.attendant === undefined ? {} : { attended: true }),
    implementation: manifest.implementation,
    manifest: request.manifestFile,
    ...(runIn(manifest) === undefined ? {} : { namespaces: clusterPrefix(manifest) }),
    // Shards of a run that were given no seed have the same one, so that their report can name it.
    seed: request.seed ?? (division === undefined ? randomInt(2 ** 31) : Number.parseInt(division.slice(0, 7), 16)),
    total: cases.length * request.repeat,
  };
}

/** Repeats alone what does not count yet; of a run that could not be done to its end it is reported as it was seen once. Never rejects. */
async function settleDoubtful(ending: Ending, execution: Execution): Promise<Ending> {
  const { request, manifest, results } = execution;
  const { doubtful, add } = results;
  if (ending.stopped !== undefined) for (const result of doubtful) add(seenOnce(result));
  if (ending.stopped !== undefined || doubtful.length === 0) return ending;
  for (const reporter of request.reporters) reporter.repeating?.(doubtful.length);
  try {
    const options = { ...caseOptions(execution, request.stop), manifest, report: add };
    const listed = listedOthers(execution.known, execution.read, [...results.all, ...doubtful]);
    // What others stand on is settled first: whoever stands on something red accuses nobody and need not be seen again.
    for (const layer of layersByNeed(doubtful, execution.read)) {
      const standing = layer.filter((result) => {
        const by = blockedBy(result, [...results.all, ...listed]);
        if (by !== undefined) add({ ...result, verdict: 'blocked', reason: `stands on ${by}, which is red` });
        return by === undefined;
      });
      await repeatAlone(standing, options);
    }
    return request.stop.aborted ? faultEnding(undefined, request.stop) : ending;
  } catch (error) {
    // What could not be seen again is reported as it was seen.
    const isTold = ({ case: one, round }: CaseResult): boolean =>
      results.all.some((told) => told.case.id === one.id && told.round === round);
    for (const result of doubtful) if (!isTold(result)) add(seenOnce(result));
    return faultEnding(error, request.stop);
  }
}
