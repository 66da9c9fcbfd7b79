import { askUntilCurrent, type Asking } from './ask-again.ts';
import { stepLimitMs } from './deadlines.ts';
import { describePart, readPart } from './captured-part.ts';
import { judge, scopeOf } from './judge-case.ts';
import type { PreparedCase } from './prepare-case.ts';
import type { Background } from '../steps/background.ts';
import { kindOf, stepKinds } from '../steps/registry.ts';
import {
  CaseFault,
  StepUnsupported,
  type Observation,
  type OnRule,
  type Step,
  type StepContext,
} from '../steps/step.ts';
import type { ConfigurationChange, ConfigurationOutcome } from '../sut/configuration.ts';
import { StuckFault, type Resource, type Violation } from '../sut/session.ts';
import { fairNow, withLimit } from '../sut/time/fair-time.ts';
import { validate } from '../sut/validate.ts';
import { isFailure, type Check, type Path } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';
import { show } from '../values/show.ts';
import { interpolate, type Scope } from '../values/variables.ts';

/** What the steps of a case share and leave behind. */
export interface StepsContext extends Asking {
  readonly background: Background;
  readonly captures: Map<string, unknown>;
  /** Whether the first failure ends the case. */
  readonly brief: boolean;
  /** Set when a connection of a step was cut or refused. */
  readonly cut: { seen: boolean };
  /** Steps that went on after their limit, because a busy machine stretched it. */
  readonly overtimes: string[];
  /** The resources the case has now; `apply` changes them. */
  readonly resources: { now: readonly Resource[]; readonly all: (readonly Resource[])[] };
}

/** Runs the steps in order. Stops where the verdict is decided. */
export async function runSteps(steps: readonly Step[], context: StepsContext): Promise<void> {
  const { attendant } = context.prepared.instance.manifest;
  for (const step of steps) {
    attendant?.say(`step ${step.id} (${step.kind}): no limit; Enter ends its wait`);
    await askUntilCurrent(step, context, async () => runStep(step, context));
    if (isDecided(context) || lacksCapture(step, context)) return;
  }
}

/** Steps that would use what was not there to be kept cannot be done, and the check that says so has failed. */
function lacksCapture({ capture }: Step, { captures }: StepsContext): boolean {
  return isObject(capture) && Object.keys(capture).some((name) => !captures.has(name));
}

/** After a failed control nothing could mean anything; after any failure a brief case cannot pass any more. */
export function isDecided({ controls, checks, brief }: Pick<StepsContext, 'controls' | 'checks' | 'brief'>): boolean {
  return controls.some(isFailure) || (brief && checks.some(isFailure));
}

async function runStep(step: Step, context: StepsContext): Promise<Observation> {
  const kind = stepKinds[step.kind];
  if (kind === undefined) throw new CaseFault(`step ${step.id} has no kind`);
  const input = interpolate(step.input, scopeOf(context.prepared, context.captures), {
    at: [...step.at, step.kind],
    // Nested steps keep null until they run: in their expectations it is a value.
    dropNull: step.kind !== 'parallel' && step.kind !== 'repeat',
    partial: step.kind === 'parallel' || step.kind === 'repeat',
  });
  const limitMs = stepLimitMs(step.within, context.prepared.instance.manifest);
  const began = { wall: performance.now(), fair: fairNow() };
  const seen = await observe(step, { input, limitMs }, context);
  const { changeLimitMs } = context.prepared.instance.configuration.revisions;
  const longestMs = step.kind === 'apply' ? Math.max(limitMs, changeLimitMs) : limitMs;
  if (performance.now() - began.wall > longestMs + LATE_MS && wentOn(step, seen)) context.overtimes.push(step.id);
  if (seen !== undefined) keep(step, seen, fairNow() - began.fair, context);
  return seen ?? {};
}

/** Whether a step that took longer than its limit got something after it. A longer silence only says more about silence. */
function wentOn(step: Step, seen: Observation | undefined): boolean {
  // Steps that consist of others take what those take.
  return !COMPOUND.has(step.kind) && seen?.['failure'] !== 'timeout';
}

const COMPOUND: ReadonlySet<string> = new Set(['parallel', 'repeat']);
/** What ends so soon after its limit ended because of it. */
const LATE_MS = 100;

/** A step that is about to be done. */
interface Begun {
  readonly input: unknown;
  readonly limitMs: number;
}

/** Undefined when the step could not be tested; the check that says so is added. */
async function observe(step: Step, begun: Begun, context: StepsContext): Promise<Observation | undefined> {
  try {
    return await withLimit(begun.limitMs, async (late) => {
      const limit = AbortSignal.any([context.signal, late]);
      return stepKinds[step.kind]?.run(begun.input, stepContext(step, { ...begun, limit }, context));
    });
  } catch (error) {
    if (!(error instanceof StepUnsupported)) throw error;
    // The features a step needs were declared, or the case would not run: then being unable to is a failure.
    add(step, context, [
      {
        at: step.at,
        what: `step ${step.id}`,
        ok: false,
        expected: 'what the manifest declares',
        actual: `Not testable: ${error.message}`,
      },
    ]);
    return undefined;
  }
}

const CUT: ReadonlySet<unknown> = new Set(['closed', 'reset', 'refused']);

function keep(step: Step, seen: Observation, fairMs: number, context: StepsContext): void {
  if (CUT.has(seen['failure'])) context.cut.seen = true;
  const checks = judgeFairly(step, seen, fairMs, context);
  add(step, context, [...unexpectedFailure(step, seen), ...checks, ...captureChecks(step, seen, context)]);
}

/** What took too long by the clock on the wall may have been in time on a machine that was there for it. */
function judgeFairly(step: Step, seen: Observation, fairMs: number, context: StepsContext): readonly Check[] {
  const { expect } = step;
  if (expect === undefined) return [];
  const where = { at: [...step.at, 'expect'], what: `step ${step.id}: ` };
  const checks = judge(expect, seen, where, context);
  const asksTime = isObject(expect) && 'elapsedMs' in expect && typeof seen['elapsedMs'] === 'number';
  if (!asksTime || !checks.some(isFailure)) return checks;
  const wall = Number(seen['elapsedMs']);
  // How much of what was lost delayed this very step is not known: any time between the two may be what it took.
  const shares = Array.from({ length: TIMES_BETWEEN }, (_, index) => (index + 1) / TIMES_BETWEEN);
  const fairly = shares
    .map((share) => Math.round(wall - (wall - Math.min(fairMs, wall)) * share))
    .map((elapsedMs) => judge(expect, { ...seen, elapsedMs }, where, context));
  return fairly.find((tried) => !tried.some(isFailure)) ?? checks;
}

const TIMES_BETWEEN = 8;

function add(step: Step, context: StepsContext, checks: readonly Check[]): void {
  (step.control === true ? context.controls : context.checks).push(...checks);
}

// A hang or a cut answer is named, also where the step expects nothing or only the head.
function unexpectedFailure(step: Step, seen: Observation): readonly Check[] {
  if (seen['failure'] === undefined) return [];
  const expected = isObject(step.expect) ? Object.keys(step.expect) : [];
  if (['failure', 'closed', 'complete', 'reset', 'running', 'reached', 'exit'].some((key) => expected.includes(key)))
    return [];
  const limit = seen['failure'] === 'timeout' ? ` after ${show(seen['elapsedMs'])} ms` : '';
  return [
    {
      at: step.at,
      what: `step ${step.id}`,
      ok: false,
      expected: 'a complete answer',
      actual: `${show(seen['failure'])}${limit}`,
    },
  ];
}

function captureChecks(step: Step, seen: Observation, context: StepsContext): readonly Check[] {
  if (!isObject(step.capture)) return [];
  return Object.entries(step.capture).map(([name, part]) => {
    const value = readPart(seen, part);
    if (value !== undefined) context.captures.set(name, value);
    const at: Path = [...step.at, 'capture', name];
    return {
      at,
      what: `step ${step.id}: capture ${name}`,
      ok: value !== undefined,
      expected: describePart(part),
      actual: value === undefined ? 'nothing' : 'a value',
    };
  });
}

function stepContext(
  step: Step,
  { limitMs, limit }: Pick<StepContext, 'limitMs' | 'limit'>,
  context: StepsContext,
): StepContext {
  const { prepared } = context;
  const scope = scopeOf(prepared, context.captures);
  const nestedKind = step.kind === 'parallel' || step.kind === 'repeat';
  const expect = nestedKind || step.expect === undefined ? {} : interpolate(step.expect, scope, { at: step.at });
  return {
    caseId: prepared.case.id,
    stepId: step.id,
    namespace: prepared.case.namespace,
    host: prepared.case.host,
    ...(prepared.case.vantage === undefined ? {} : { vantage: prepared.case.vantage }),
    session: prepared.instance.session,
    manifest: prepared.instance.manifest,
    listenerPort: prepared.listenerPort,
    peers: prepared.peers,
    background: context.background,
    timeline: context.timeline,
    limitMs,
    limit,
    signal: context.signal,
    on: onRules(interpolate(step.on ?? [], scope, { at: [...step.at, 'on'] })),
    expect: isObject(expect) ? expect : {},
    resources: () => context.resources.now,
    render: prepared.render,
    ...(prepared.case.alter === undefined ? {} : { alter: prepared.case.alter }),
    configure: async (change) => configure(change, context),
    nested: async (written, at, round) => runStep(nestedStep(written, step, at, round), context),
  };
}

function nestedStep(
  written: Readonly<Record<string, unknown>>,
  outer: Step,
  at: readonly (string | number)[],
  round: number | undefined,
): Step {
  const kind = kindOf(written) ?? '';
  const { id, control, within, expect, capture, on } = written;
  const place = [...outer.at, outer.kind, ...at];
  return {
    id: round === undefined ? String(id) : `${String(id)}#${round + 1}`,
    kind,
    input:
      round === undefined ? written[kind] : interpolate(written[kind], roundScope(round), { at: place, partial: true }),
    at: place,
    ...(control === true || outer.control === true ? { control: true } : {}),
    ...(typeof within === 'string' ? { within } : {}),
    ...(expect === undefined ? {} : { expect }),
    ...(capture === undefined ? {} : { capture }),
    ...(isList(on) ? { on: onRules(on) } : {}),
  };
}

/** What a step that is repeated knows of its round: `${repeat.number}`, from 1 on. */
function roundScope(round: number): Scope {
  return { repeat: { number: round + 1 } };
}

function onRules(written: unknown): readonly OnRule[] {
  return (isList(written) ? written : []).filter(isObject).map((rule) => ({ ...rule, open: String(rule['open']) }));
}

/** A change in the middle of a case. What the case expects to be refused is asked through `op validate`, not handed over. */
async function configure(change: ConfigurationChange, context: StepsContext): Promise<ConfigurationOutcome> {
  const { prepared, timeline } = context;
  const next = applyChange(context.resources.now, change, prepared.case.namespace);
  timeline.add('config', `apply ${change.put.length} put, ${change.remove.length} removed`);
  const refused = await violationsOf(change.put, prepared);
  const outcome: ConfigurationOutcome =
    refused.length > 0
      ? { outcome: 'rejected', violations: refused }
      : await prepared.instance.configuration.apply(new Map([[prepared.case.namespace, next]]));
  if (outcome.stuck) throw new StuckFault(outcome.message);
  if (outcome.outcome === 'accepted') {
    context.resources.now = next;
    context.resources.all.push(next);
    context.revision.now = outcome.revision;
  }
  timeline.add('config', `${outcome.outcome} ${outcome.message ?? ''}`.trim());
  return outcome;
}

/** What the implementation says is wrong with resources; empty when it accepts them or has no such operation. */
export async function violationsOf(
  resources: readonly unknown[],
  prepared: PreparedCase,
): Promise<readonly Violation[]> {
  const { session } = prepared.instance;
  return (await Promise.all(resources.map(async (resource) => validate(resource, session, prepared.case.id)))).flat();
}

function applyChange(now: readonly Resource[], change: ConfigurationChange, namespace: string): readonly Resource[] {
  const put = change.put.filter(isObject);
  const gone = new Set([
    ...put.map((resource) => identity(resource, namespace)),
    ...change.remove.map((one) => `${one.kind} ${one.namespace ?? namespace}/${one.name}`),
  ]);
  return [...now.filter((resource) => !gone.has(identity(resource, namespace))), ...put];
}

function identity(resource: Resource, namespace: string): string {
  const metadata = isObject(resource['metadata']) ? resource['metadata'] : {};
  return `${String(resource['kind'])} ${typeof metadata['namespace'] === 'string' ? metadata['namespace'] : namespace}/${String(metadata['name'])}`;
}
