import { setTimeout as wait } from 'node:timers/promises';
import type { Observation, Step } from '../steps/step.ts';
import type { Timeline } from '../steps/timeline.ts';
import { listens } from '../sut/ports.ts';
import type { Endpoint } from '../sut/session.ts';
import { withLimit } from '../sut/time/fair-time.ts';
import { isFailure, type Check } from '../values/check.ts';
import { isObject, type JsonObject } from '../values/json.ts';
import { show } from '../values/show.ts';
import type { PreparedCase } from './prepare-case.ts';

/** What the canary said right after a red step. */
export interface RevisionsSeen {
  readonly step: string;
  /** The revision that brought the configuration the step is about. */
  readonly configured: number;
  /** Revisions that answered, in ascending order, each once. */
  readonly answered: readonly number[];
  /** The answer does not count, it may have come from an older revision or in the middle of a reload: the step was asked again. */
  readonly again: boolean;
}

/** What asking again looks at, and what it takes back. */
export interface Asking {
  readonly prepared: PreparedCase;
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  readonly checks: Check[];
  readonly controls: Check[];
  /** The revision that brought the resources the case has now; undefined where no canary shows revisions. */
  readonly revision: { now: number | undefined };
  /** What the canary said after red steps. */
  readonly revisions: RevisionsSeen[];
}

/** Steps that send something and look at the answer: what they leave behind is what peers saw. A status is written some time after a change. */
const REPEATABLE: ReadonlySet<string> = new Set(['http', 'raw', 'llm', 'repeat', 'status']);
/** Their conversations have a memory whatever the script says. */
const SEQUENTIAL_PEERS: ReadonlySet<unknown> = new Set(['extproc', 'ratelimit', 'tcp']);
/** They look at how their connection ends, and a proxy that reloads for the sake of another case may end it. */
const HOLDS_CONNECTION: ReadonlySet<string> = new Set(['raw']);
const TIMES = 5;
/** What is live at one port need not be at another yet: so long may a listener take to open after the canary has shown its revision. */
const OPENS_WITHIN_MS = 1000;
const LOOK_EVERY_MS = 20;

/**
 * Does a step, and does it again as long as it is red and may have been answered by an older revision of the configuration, may have lost
 * its connection to a reload, or was refused by the port of a listener that opens a moment later. Checks of a discarded attempt are taken
 * back, and what peers saw of it.
 */
export async function askUntilCurrent(step: Step, context: Asking, attempt: () => Promise<Observation>): Promise<void> {
  const { configuration } = context.prepared.instance;
  const holdsConnection = HOLDS_CONNECTION.has(step.kind);
  for (let times = 1; ; times++) {
    const begun = performance.now();
    const undo = mark(context);
    const reds = countReds(context);
    const handedOver = configuration.revision;
    const observation = await (times > 1 && holdsConnection ? configuration.undisturbed(attempt) : attempt());
    if (countReds(context) === reds) return;
    if (times < TIMES && (await opensLate(step, observation, context))) {
      undo.all();
      context.timeline.add('canary', `${step.id} was refused by a listener that is open now, and is asked again`);
      continue;
    }
    const seen = await lookWhoAnswers(step, context);
    if (seen === undefined) return;
    const older =
      seen.answered.some((revision) => revision < seen.configured) ||
      configuration.revisions.couldBeOlder(seen.configured, begun);
    const reloaded = holdsConnection && times === 1 && configuration.revision !== handedOver;
    const again = (older || reloaded) && times < TIMES && isRepeatable(step, context, undo.grown());
    context.revisions.push({ ...seen, again });
    context.timeline.add(
      'canary',
      `revision ${show(seen.answered)} after ${step.id}, which is about ${seen.configured}`,
    );
    if (!again) return;
    undo.all();
    context.timeline.add('canary', `${step.id} is asked again when nothing older answers any more`);
    await configuration.revisions.awaitOlderGone(seen.configured, times);
  }
}

interface Mark {
  /** Names of peers that something arrived at since. */
  readonly grown: () => readonly string[];
  readonly all: () => void;
}

function mark({ prepared: { peers }, checks, controls }: Asking): Mark {
  const then = { checks: checks.length, controls: controls.length };
  const ledgers = peers.names.map((name) => ({ name, ledger: peers.get(name).ledger }));
  const marks = ledgers.map(({ name, ledger }) => ({
    name,
    ledger,
    size: ledger.entries.length,
    forget: ledger.mark(),
  }));
  return {
    grown: () => marks.filter(({ ledger, size }) => ledger.entries.length > size).map(({ name }) => name),
    all: () => {
      checks.length = then.checks;
      controls.length = then.controls;
      for (const { forget } of marks) forget();
    },
  };
}

function countReds({ checks, controls }: Asking): number {
  return [...checks, ...controls].filter(isFailure).length;
}

/** Undefined where the canary cannot tell, or must not be asked: an exclusive case watches every request there is. */
async function lookWhoAnswers(step: Step, context: Asking): Promise<Omit<RevisionsSeen, 'again'> | undefined> {
  const { instance, case: one } = context.prepared;
  const configured = context.revision.now;
  if (configured === undefined || one.isolation === 'exclusive' || context.signal.aborted) return undefined;
  const answers = (await instance.configuration.revisions.answering()).filter((answer) => answer !== undefined);
  if (answers.length === 0) return undefined;
  return { step: step.id, configured, answered: [...new Set(answers)].toSorted((a, b) => a - b) };
}

/** Whether the step was refused by the port of a listener that accepts connections soon after. */
async function opensLate(step: Step, observation: Observation, { prepared, signal }: Asking): Promise<boolean> {
  const endpoint =
    REPEATABLE.has(step.kind) && observation['failure'] === 'refused' ? listenerOf(step, prepared) : undefined;
  if (endpoint === undefined) return false;
  return withLimit(OPENS_WITHIN_MS, async (late) => {
    for (;;) {
      if (await listens(endpoint)) return true;
      if (late.aborted || signal.aborted) return false;
      await wait(LOOK_EVERY_MS);
    }
  });
}

function listenerOf({ input }: Step, { listenerPort, instance }: PreparedCase): Endpoint | undefined {
  const name = isObject(input) ? input['listener'] : undefined;
  const port = typeof name === 'string' ? listenerPort(name) : undefined;
  return port === undefined ? undefined : { host: instance.session.endpoints.data.host, port };
}

/** A peer that plays a sequence would go on in it, so a step that has moved it on cannot be done again. */
function isRepeatable(step: Step, { prepared }: Asking, grown: readonly string[]): boolean {
  return REPEATABLE.has(step.kind) && !grown.some((name) => playsSequence(prepared.case.peers[name] ?? {}));
}

function playsSequence(script: JsonObject): boolean {
  return SEQUENTIAL_PEERS.has(script['kind']) || /"(replies|gate)":/.test(JSON.stringify(script));
}
