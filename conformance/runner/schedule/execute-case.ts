import type { ConcreteCase } from '../case/concrete-case.ts';
import { describeToken } from '../peers/mint-tokens.ts';
import { createBackground } from '../steps/background.ts';
import { CaseFault, ToolMissing } from '../steps/step.ts';
import { createTimeline, type Timeline } from '../steps/timeline.ts';
import { AuthoringError } from '../values/authoring-error.ts';
import { StuckFault } from '../sut/session.ts';
import { fairNow } from '../sut/time/fair-time.ts';
import type { Check } from '../values/check.ts';
import { decide, type Evidence, type Fault, type Verdict } from '../verdict/verdict.ts';
import type { CaseResult } from './case-result.ts';
import { caseLimitMs, DeadlineError, stepLimitMs, withDeadline } from './deadlines.ts';
import { judge, judgeCase, judgeWitnesses, type JudgeContext } from './judge-case.ts';
import { gatherEvidence, type Remains } from './evidence.ts';
import { outsideLater } from './outside.ts';
import { wantsRejection, type PreparedCase, type UnpreparedCase } from './prepare-case.ts';
import type { RevisionsSeen } from './ask-again.ts';
import { isDecided, runSteps, violationsOf, type StepsContext } from './run-steps.ts';

type Known = Evidence['known'];
interface Broken {
  readonly fault: Fault;
  readonly message: string;
}

/** How a case is run, beyond what it says itself. */
export interface CaseRun {
  readonly known?: Known;
  readonly stop?: AbortSignal | undefined;
  /** Only whether it passes matters: it ends at its first failure, and nothing is kept for a reader. */
  readonly brief?: boolean | undefined;
  /** What was seen is kept of a case that went well, too. */
  readonly thorough?: boolean | undefined;
}

/**
 * Runs a prepared case to its verdict. Never rejects: whatever goes wrong is part of the result. After `stop` it ends soon and its
 * verdict means nothing.
 */
export async function executeCase(
  prepared: PreparedCase | UnpreparedCase,
  { known, stop, brief = false, thorough = false }: CaseRun = {},
): Promise<CaseResult> {
  const began = performance.now();
  if ('error' in prepared) return withoutRun(prepared.case, { broken: brokenBy(prepared.error), known }, began);
  const crashed = prepared.instance.session.crashed();
  if (crashed !== undefined)
    return withoutRun(prepared.case, { broken: { fault: 'implementation', message: crashed }, known }, began);
  const { lost, stuck, message = '' } = prepared.configured ?? {};
  if (stuck === true) return withoutRun(prepared.case, { broken: { fault: 'harness', message }, known }, began);
  if (lost === true) return withoutRun(prepared.case, { broken: { fault: 'implementation', message }, known }, began);

  const background = createBackground();
  const timeline = createTimeline();
  const captures = new Map<string, unknown>();
  const { manifest } = prepared.instance;
  const limitMs = stepLimitMs(undefined, manifest);
  const longest = caseLimitMs(manifest);
  const evidence: Gathered = {
    checks: [],
    controls: [],
    witnesses: [],
    cut: { seen: false },
    overtimes: [],
    revisions: [],
    resources: { now: prepared.resources, all: [prepared.resources] },
  };
  const context = { prepared, background, captures, limitMs, brief };
  const fairBegan = fairNow();
  let fairMs = 0;
  try {
    const work = async (late: AbortSignal): Promise<void> =>
      gather(context, timeline, stop === undefined ? late : AbortSignal.any([late, stop]), evidence);
    await withDeadline(work, longest, `the case did not end within ${longest} ms`);
  } catch (error) {
    if (error instanceof ToolMissing) evidence.undeclared = [error.message];
    else evidence.broken = brokenBy(error);
  } finally {
    fairMs = fairNow() - fairBegan;
    background.stop();
  }
  const gone = await crashOf(prepared, evidence);
  if (gone !== undefined) evidence.broken = { fault: 'implementation', message: `while this case ran, ${gone}` };
  const remains = { timeline, background, resources: evidence.resources.all };
  return describe(prepared, { ...evidence, known, began, fairMs, brief, thorough }, remains);
}

/** The result of a case that was not run: features it lacks, an error before it began, or the user's wish. */
export function withoutRun(
  one: ConcreteCase,
  why: {
    readonly undeclared?: readonly string[];
    readonly broken?: Broken;
    readonly skipped?: string;
    readonly known?: Known;
  },
  began = performance.now(),
): CaseResult {
  const evidence = { level: one.level, undeclared: [], checks: [], controls: [], witnesses: [], ...why };
  const decision = decide(evidence);
  const empty = {
    checks: [],
    controls: [],
    witnesses: [],
    revisions: [],
    timeline: [],
    ledgers: {},
    curl: [],
    logs: [],
  };
  return { case: one, ...decision, durationMs: elapsedMs(began), ...empty };
}

const GOING_LIMIT_MS = 250;

/** Verdicts that accuse nobody: what was seen need not be kept. */
const UNTROUBLED: ReadonlySet<Verdict> = new Set(['pass', 'observe', 'unsupported', 'skipped']);

/** Why the implementation is gone. A client sees its connection cut before the runner hears of the end of the process. */
async function crashOf({ instance }: PreparedCase, { checks, controls, cut }: Gathered): Promise<string | undefined> {
  const failed = [...checks, ...controls].some((check) => !check.ok);
  return failed && cut.seen ? instance.session.gone(GOING_LIMIT_MS) : instance.session.crashed();
}

interface Gathered {
  readonly cut: { seen: boolean };
  readonly overtimes: string[];
  readonly checks: Check[];
  readonly controls: Check[];
  readonly revisions: RevisionsSeen[];
  readonly resources: StepsContext['resources'];
  witnesses: readonly Check[];
  broken?: Broken;
  undeclared?: readonly string[];
}

async function gather(
  context: JudgeContext & { readonly brief: boolean },
  timeline: Timeline,
  signal: AbortSignal,
  evidence: Gathered,
): Promise<void> {
  const { prepared } = context;
  if (wantsRejection(prepared.case)) return gatherRejection(context, evidence);
  for (const [name, token] of Object.entries(prepared.tokens)) {
    if (token !== null) timeline.add('token', `${name} ${describeToken(token)}`);
  }
  const { configured } = prepared;
  if (configured !== undefined) timeline.add('config', `${configured.outcome} ${configured.message ?? ''}`.trim());
  if (!gatherConfiguration(context, evidence)) return;
  const steps: StepsContext = {
    ...context,
    timeline,
    signal,
    checks: evidence.checks,
    controls: evidence.controls,
    cut: evidence.cut,
    overtimes: evidence.overtimes,
    resources: evidence.resources,
    revision: { now: configured?.revision },
    revisions: evidence.revisions,
  };
  await runSteps(prepared.case.steps, steps);
  // The verdict is decided: waiting for ledgers and traces would only cost time.
  if (isDecided(steps)) return;
  evidence.checks.push(...(await judgeCase(context)));
  evidence.witnesses = judgeWitnesses(context);
}

/** False when the configuration is not live, so that the steps would only show consequences. */
function gatherConfiguration(context: JudgeContext, evidence: Gathered): boolean {
  const { configured } = context.prepared;
  const one = context.prepared.case;
  const { config } = one.expect;
  if (configured === undefined) return true;
  const at = [...one.at, ...(config === undefined ? ['config'] : ['expect', 'config'])];
  if (config !== undefined) {
    const wanted = config === 'accepted' ? { outcome: 'accepted' } : config;
    evidence.checks.push(...judge(wanted, configured, { at, what: 'config: ' }, context));
  } else if (configured.outcome !== 'accepted') {
    const actual = configured.message ?? configured.outcome;
    evidence.checks.push({ at, what: 'config', ok: false, expected: 'accepted', actual });
  }
  return configured.outcome === 'accepted';
}

async function gatherRejection(context: JudgeContext, evidence: Gathered): Promise<void> {
  const { prepared } = context;
  if (!prepared.instance.session.ops.includes('validate')) {
    evidence.undeclared = ['op.validate'];
    return;
  }
  const violations = await violationsOf(prepared.resources, prepared);
  const outcome = violations.length > 0 ? 'rejected' : 'accepted';
  const { config } = prepared.case.expect;
  const wanted =
    config === 'rejected' ? { outcome: 'rejected' } : { outcome: 'rejected', violations: rejectedOf(config) };
  const at = [...prepared.case.at, 'expect', 'config'];
  evidence.checks.push(...judge(wanted, { outcome, violations }, { at, what: 'config: ' }, context));
}

function rejectedOf(config: unknown): unknown {
  return typeof config === 'object' && config !== null && 'rejected' in config ? config.rejected : undefined;
}

function describe(
  prepared: PreparedCase,
  evidence: Gathered & {
    readonly known: Known;
    readonly began: number;
    readonly fairMs: number;
    readonly brief: boolean;
    readonly thorough: boolean;
  },
  remains: Remains,
): CaseResult {
  const one = prepared.case;
  const decision = decide({
    level: one.level,
    undeclared: evidence.undeclared ?? [],
    checks: evidence.checks,
    controls: evidence.controls,
    witnesses: evidence.witnesses,
    ...(evidence.broken === undefined ? {} : { broken: evidence.broken }),
    known: evidence.known,
  });
  const detailed = (decision.verdict !== 'pass' || evidence.thorough) && !evidence.brief;
  const kept = (!UNTROUBLED.has(decision.verdict) || evidence.thorough) && !evidence.brief;
  if (detailed) addLedgers(prepared, remains.timeline);
  return {
    case: one,
    ...decision,
    durationMs: elapsedMs(evidence.began),
    ...stretchOf(evidence),
    checks: evidence.checks,
    controls: evidence.controls,
    witnesses: evidence.witnesses,
    revisions: evidence.revisions,
    timeline: remains.timeline.entries(),
    ledgers: detailed ? ledgersOf(prepared) : {},
    curl: detailed ? outsideLater(prepared) : [],
    logs: detailed ? prepared.logs() : [],
    ...(kept ? { evidence: gatherEvidence(prepared, remains) } : {}),
  };
}

/** What a busy machine did to the limits of a case; nothing on a quiet one. */
function stretchOf({
  began,
  fairMs,
  overtimes,
}: Gathered & { readonly began: number; readonly fairMs: number }): Pick<CaseResult, 'stretch' | 'overtimes'> {
  const stretch = fairMs > 0 ? Math.round(((performance.now() - began) / fairMs) * 10) / 10 : 1;
  return { ...(stretch > 1 ? { stretch } : {}), ...(overtimes.length > 0 ? { overtimes } : {}) };
}

function ledgersOf({ peers }: PreparedCase): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(peers.names.map((name) => [name, peers.received(name).map(entryLine)]));
}

function addLedgers({ peers }: PreparedCase, timeline: Timeline): void {
  for (const name of peers.names) {
    for (const entry of peers.get(name).ledger.entries) timeline.addAt(entry.at, name, `< ${entryLine(entry.view())}`);
  }
}

function entryLine(entry: Readonly<Record<string, unknown>>): string {
  if (typeof entry['method'] === 'string') {
    const asked = entry['target'] ?? entry['path']; // an authorization server is told the path of another request
    return typeof asked === 'string' ? `${entry['method']} ${asked}` : entry['method'];
  }
  if (Array.isArray(entry['kinds'])) return entry['kinds'].length === 0 ? 'nothing' : entry['kinds'].join(', ');
  return `${typeof entry['bytes'] === 'number' ? entry['bytes'] : 0} bytes`;
}

function brokenBy(error: unknown): Broken {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof AuthoringError || error instanceof CaseFault) return { fault: 'case', message };
  if (error instanceof DeadlineError || error instanceof StuckFault) return { fault: 'harness', message };
  return { fault: 'harness', message: error instanceof Error ? (error.stack ?? message) : message };
}

function elapsedMs(began: number): number {
  return Math.round((performance.now() - began) * 10) / 10;
}
