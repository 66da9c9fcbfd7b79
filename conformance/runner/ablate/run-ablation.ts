import type { ConcreteCase } from '../case/concrete-case.ts';
import type { CaseResult } from '../schedule/case-result.ts';
import { withoutRun } from '../schedule/execute-case.ts';
import { executePlan } from '../schedule/execute-plan.ts';
import { planRun } from '../schedule/plan.ts';
import { shuffled } from '../schedule/random.ts';
import { fixedWorkers } from '../schedule/workers.ts';
import { startInstance } from '../sut/instance.ts';
import type { Manifest } from '../sut/manifest.ts';
import { ImplementationFault } from '../sut/session.ts';
import { ablatedCase, type Way } from './ablated-case.ts';
import type { Field } from './fields.ts';
import {
  foreignFields,
  newDelivery,
  operatorStudiesOf,
  recordDelivery,
  studiesOf,
  type Delivery,
  type Study,
} from './study.ts';

/** How fields are taken away. */
export interface AblationRun {
  readonly manifest: Manifest;
  readonly cases: readonly ConcreteCase[];
  /** Only fields of these kinds; of every kind when empty. */
  readonly kinds: readonly string[];
  /** Falsify fields a little instead of taking them away; then only cases that send something to the proxy count. */
  readonly operators?: { readonly draw: number | undefined };
  /** Run every case that uses a field; otherwise a field is done with when a case has noticed. */
  readonly complete: boolean;
  readonly workers: number;
  readonly seed: number;
  readonly stop: AbortSignal;
  /** Told before each round how many cases it runs. */
  readonly progress: (text: string) => void;
}

/** A field and what is known of it. */
export interface AblatedField extends Field {
  /** Must-level cases that were red with it ablated, in one way or another. */
  readonly noticedBy: readonly string[];
  /** Must-level cases that deliver it and pass with it. */
  readonly usedBy: readonly string[];
  /** Each way in which it was ablated, and who noticed that one. */
  readonly ablated: readonly (Way & { readonly noticedBy: readonly string[]; readonly usedBy: readonly string[] })[];
}

export interface AblationOutcome {
  readonly fields: readonly AblatedField[];
  /** Part of the fields that a case noticed, 0 to 1. */
  readonly share: number;
  /** Fields that the document does not give their kind. They are delivered to be refused, and not part of the share. */
  readonly foreign: readonly Field[];
  /** Must-level cases that were red already: they say nothing. */
  readonly redAnyway: readonly string[];
}

/** Cases of one field in the first rounds; the last round takes what is left. */
const ROUNDS = [3, 12, Number.POSITIVE_INFINITY] as const;
/** A fresh implementation after so many cases: what one of them broke must not spoil the rest. */
const CASES_PER_INSTANCE = 1500;

/**
 * Runs the cases as they are, then again for each field they deliver: without it, and with its default in its place. Throws ImplementationFault when a run cannot be made.
 */
export async function runAblation(run: AblationRun): Promise<AblationOutcome> {
  const { used, foreign, redAnyway } = await baseline(run);
  const wanted = used.filter(({ field }) => run.kinds.length === 0 || run.kinds.includes(field.kind));
  const studies = drawn(wanted, run);
  for (const [round, count] of ROUNDS.entries()) {
    const trials = studies
      .filter(({ noticed }) => run.complete || noticed.size === 0)
      .flatMap((study) =>
        study.waiting.splice(0, count).map((one) => ({ study, one: ablatedCase(one, study.field, study.way) })),
      );
    if (trials.length === 0 || run.stop.aborted) break;
    run.progress(`round ${round + 1}: ${trials.length} cases with a field ablated`);
    await runTrials(trials, run);
  }
  const fields = [...Map.groupBy(studies, ({ name }) => name).values()].flatMap(summary);
  const noticed = fields.filter(({ noticedBy }) => noticedBy.length > 0).length;
  return { fields, share: fields.length === 0 ? 1 : noticed / fields.length, foreign, redAnyway };
}

/** As many of them as the run wants, chosen by its seed. */
function drawn(studies: readonly Study[], { operators, seed }: AblationRun): readonly Study[] {
  if (operators?.draw === undefined) return studies;
  return shuffled(studies, seed).slice(0, operators.draw);
}

/** All ways of one field in one. */
function summary(studies: readonly Study[]): readonly AblatedField[] {
  const [first] = studies;
  if (first === undefined) return [];
  const all = new Set(studies.flatMap(({ noticed }) => [...noticed]));
  return [
    {
      ...first.field,
      noticedBy: [...all].toSorted(),
      usedBy: first.users.map(({ id }) => id).toSorted(),
      ablated: studies.map(({ way, noticed, users }) => ({
        ...way,
        noticedBy: [...noticed].toSorted(),
        usedBy: users.map(({ id }) => id).toSorted(),
      })),
    },
  ];
}

interface Baseline extends Pick<AblationOutcome, 'foreign' | 'redAnyway'> {
  readonly used: readonly Study[];
}

/** The cases with everything: what they deliver, and which of them are green. */
async function baseline(run: AblationRun): Promise<Baseline> {
  const delivered = new Map<ConcreteCase, Delivery>();
  const watched = run.cases
    .filter((one) => isUsable(one, run))
    .map((one) => {
      const delivery = newDelivery();
      delivered.set(one, delivery);
      const alter: NonNullable<ConcreteCase['alter']> = (resource) => {
        recordDelivery(delivery, resource);
        return resource;
      };
      return { one, watched: { ...one, alter } };
    });
  const original = new Map(watched.map(({ one, watched: copy }) => [copy.id, one]));
  const green = new Set<ConcreteCase>();
  const redAnyway: string[] = [];
  run.progress(`${watched.length} cases as they are`);
  await runCases(
    watched.map((each) => each.watched),
    run,
    (result) => {
      const one = original.get(result.case.id);
      if (result.verdict === 'pass' && result.case.level === 'must' && one !== undefined) green.add(one);
      if (result.case.level === 'must' && isRed(result)) redAnyway.push(result.case.id);
    },
  );
  const used = run.operators === undefined ? studiesOf(delivered, green) : operatorStudiesOf(delivered, green);
  return { used, foreign: foreignFields(delivered), redAnyway };
}

interface Trial {
  readonly study: Study;
  readonly one: ConcreteCase;
}

async function runTrials(trials: readonly Trial[], run: AblationRun): Promise<void> {
  const byId = new Map(trials.map((trial) => [trial.one.id, trial.study]));
  const report = (result: CaseResult): void => {
    const id = result.case.id.slice(0, result.case.id.lastIndexOf('~'));
    if (isRed(result)) byId.get(result.case.id)?.noticed.add(id);
  };
  const together = trials.filter(({ study }) => !takesOthers(study.field)).map(({ one }) => one);
  for (let at = 0; at < together.length && !run.stop.aborted; at += CASES_PER_INSTANCE)
    await runCases(together.slice(at, at + CASES_PER_INSTANCE), run, report);
  // Two listeners for every host on one port would be each other's undoing, so these are live one at a time.
  const alone = trials.filter(({ study }) => takesOthers(study.field)).map(({ one }) => [one]);
  if (alone.length > 0) await runPlans(alone, run, report);
}

/** Without its host name a listener of the shared port takes requests of other cases. */
function takesOthers({ kind, path }: Field): boolean {
  return (kind === 'Gateway' || kind === 'ListenerSet') && path.endsWith('hostname');
}

async function runCases(
  cases: readonly ConcreteCase[],
  run: AblationRun,
  report: (result: CaseResult) => void,
): Promise<void> {
  await runPlans([cases], run, report);
}

/** Runs groups of cases one after the other on one implementation. */
async function runPlans(
  groups: readonly (readonly ConcreteCase[])[],
  { manifest, seed, workers, stop }: AblationRun,
  report: (result: CaseResult) => void,
): Promise<void> {
  const instance = await startInstance(manifest);
  try {
    for (const cases of groups) {
      await executePlan(planRun(cases, seed), {
        instance,
        workers: fixedWorkers(workers),
        stop,
        report,
        known: () => undefined,
        property: async (one) =>
          Promise.resolve(withoutRun(one, { skipped: 'random draws deliver no field of their own' })),
      });
    }
    const crashed = instance.session.crashed();
    if (crashed !== undefined) throw new ImplementationFault(`a missing field ended the implementation: ${crashed}`);
  } finally {
    await instance.stop();
  }
}

/** What an operation says of a field is not its effect. */
function isUsable({ layer }: ConcreteCase, { operators }: AblationRun): boolean {
  if (operators !== undefined) return layer === 'wire' || layer === 'trace';
  return layer !== 'property' && layer !== 'cluster';
}

function isRed({ verdict, fault }: CaseResult): boolean {
  return verdict === 'fail' || verdict === 'inconclusive' || (verdict === 'error' && fault === 'implementation');
}
