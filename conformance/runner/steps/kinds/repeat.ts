import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { parseDuration } from '../../sut/duration.ts';
import { fairNow } from '../../sut/time/fair-time.ts';
import { isObject } from '../../values/json.ts';
import { match } from '../../values/match.ts';
import { durationText, MATCHERS_MARK, orPlaceholder } from '../authoring.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';

type NestedStep = Readonly<Record<string, unknown>>;
interface RepeatInput {
  readonly times: number | string;
  readonly parallel?: number | string | undefined;
  /** What the last observation is like: with it there are at most `times`. */
  readonly until?: unknown;
  /** The pause of a lane between one time and the next. */
  readonly every?: string | undefined;
  readonly step: NestedStep;
}

/**
 * One step n times, or until it has seen something, one after another or a few at a time. The observation counts the
 * statuses and bodies.
 */
export function repeatKind(step: () => z.ZodType<NestedStep>): StepDefinition<RepeatInput> {
  return {
    name: 'repeat',
    text: 'Runs one step several times, or until it sees something, and counts statuses and bodies.',
    schema: z.strictObject({
      times: orPlaceholder(z.int().min(1).max(10_000)).describe('how often; with until, at most so often'),
      parallel: orPlaceholder(z.int().min(1).max(64))
        .optional()
        .describe('how many at the same time; 1 when absent, one after another'),
      until: z
        .unknown()
        .meta(MATCHERS_MARK)
        .optional()
        .describe(
          'ends when an observation is like this, such as { status: 200, body: new }; reached says whether it was. No answer in time counts only where failure is named',
        ),
      every: durationText.optional().describe('pause before each next time, such as 20ms; none when absent'),
      step: z.lazy(step).describe('the step that is repeated, with its own id and expect'),
    }),
    expectKeys: ['statuses', 'bodies', 'failures', 'seen', 'reached', 'elapsedMs'],
    run,
    describe: (input) => `repeat ${input.times}`,
  };
}

async function run(input: RepeatInput, context: StepContext): Promise<Observation> {
  const started = performance.now();
  const fairStarted = fairNow();
  const times = Number(input.times);
  const seen: Observation[] = [];
  const every = input.every === undefined ? 0 : (parseDuration(input.every) ?? 0);
  let next = 0;
  let reached = false;
  // What is waited for has the time of the step; a number of times takes what it takes.
  const inTime = (): boolean => input.until === undefined || fairNow() - fairStarted < context.limitMs;
  const lane = async (): Promise<void> => {
    while (next < times && !reached && inTime() && !context.signal.aborted) {
      const index = next++;
      if (every > 0 && index > 0) await pause(every);
      const observation = (seen[index] = await context.nested(input.step, ['step'], index));
      reached ||= input.until !== undefined && reaches(input.until, observation);
    }
  };
  await Promise.all(Array.from({ length: Math.min(times, Number(input.parallel ?? 1)) }, lane));
  const done = seen.filter((one) => one !== undefined);
  return {
    statuses: tally(done.map((one) => one['status'])),
    bodies: tally(done.map((one) => one['body'])),
    failures: tally(done.map((one) => one['failure'])),
    seen: done,
    elapsedMs: Math.round(performance.now() - started),
    ...(input.until === undefined ? {} : { reached }),
    ...(input.until === undefined || reached ? {} : { failure: `not seen in ${done.length} times` }),
  };
}

/** No answer within the time of a step is a slow machine as often as a proxy that says nothing: it is what is waited for only where it is named. */
function reaches(wanted: unknown, observation: Observation): boolean {
  const named = isObject(wanted) && 'failure' in wanted;
  return (named || observation['failure'] !== 'timeout') && holds(wanted, observation);
}

function holds(wanted: unknown, observation: Observation): boolean {
  return match(wanted, observation, { at: [], what: '', mode: 'subset', scope: {}, captures: new Map() }).every(
    ({ ok }) => ok,
  );
}

function tally(values: readonly unknown[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const value of values) {
    if (value === undefined) continue;
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
