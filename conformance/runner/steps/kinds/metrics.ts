import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { globExpression } from '../../values/glob.ts';
import { match } from '../../values/match.ts';
import { NO_METRICS, parsePrometheusText, type PrometheusText, type Sample } from '../prometheus-text.ts';
import { failureOf, type Failure } from '../failure.ts';
import { StepUnsupported, type Observation, type StepContext, type StepDefinition } from '../step.ts';

type NestedStep = Readonly<Record<string, unknown>>;
interface MetricsInput {
  readonly families?: string | undefined;
  readonly step?: NestedStep | undefined;
}

/** Reads the metrics where the manifest says they are: as they are, or before and after another step. */
export function metricsKind(step: () => z.ZodType<NestedStep>): StepDefinition<MetricsInput> {
  return {
    name: 'metrics',
    text: 'Reads metrics in the Prometheus text format, and says which of them another step has changed.',
    schema: z.strictObject({
      families: z.string().optional().describe('only metrics whose name has this form, such as *request*'),
      step: z
        .lazy(step)
        .optional()
        .describe('done between two looks; changed has the samples that are others afterwards, once they are'),
    }),
    expectKeys: ['status', 'contentType', 'samples', 'changed', 'families', 'malformed', 'failure'],
    run,
    describe: ({ families = '*' }) => `metrics ${families}`,
  };
}

async function run({ families = '*', step }: MetricsInput, context: StepContext): Promise<Observation> {
  const { metrics } = context.session.endpoints;
  if (metrics === undefined) throw new StepUnsupported('the manifest names no endpoints.metrics');
  const look = async (last?: Look): Promise<Look> => lookAt(metrics, { families, last }, context);
  if (step === undefined) return observe(await look(), []);
  const before = await whenQuiet(look, context);
  await context.nested(step, ['step']);
  const { after, changed } = await untilChanged(before, look, context);
  return observe(after, changed);
}

/** One look at the metrics. */
interface Look {
  readonly status?: number;
  readonly contentType?: string | null;
  readonly text: PrometheusText;
  /** Of the families that were asked for. */
  readonly samples: readonly Sample[];
  readonly failure?: string;
}

/** What was read last, by whichever case: most lines are the same a moment later, and need not be read again. */
const latest = new WeakMap<StepContext['session'], PrometheusText>();

async function lookAt(
  url: string,
  { families, last }: { readonly families: string; readonly last: Look | undefined },
  { limit, session }: StepContext,
): Promise<Look> {
  try {
    const response = await fetch(url, { signal: limit });
    const text = parsePrometheusText(await response.text(), last?.text ?? latest.get(session));
    latest.set(session, text);
    const form = globExpression(families);
    return {
      status: response.status,
      contentType: response.headers.get('content-type'),
      text,
      samples: families === '*' ? text.samples : text.samples.filter(({ family }) => form.test(family)),
    };
  } catch (error) {
    return { text: NO_METRICS, samples: [], failure: limit.aborted ? 'timeout' : failureOfFetch(error) };
  }
}

/** What went wrong is the cause of the error that `fetch` throws. */
function failureOfFetch(error: unknown): Failure {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  return cause instanceof Error ? failureOf(cause) : 'closed';
}

/** Milliseconds between two looks. */
const BETWEEN = 30;

/** Looks before another case's late request counts as a change of this step; a program that always counts something is not waited for. */
const LOOKS_BEFORE = 20;

/** Milliseconds they may take together: the page of a program that has served thousands of routes takes most of a second, each time. */
const LONGEST_BEFORE = 1000;

/** A look at which nothing changed since the one before it. */
async function whenQuiet(look: (last?: Look) => Promise<Look>, { limit }: StepContext): Promise<Look> {
  const began = performance.now();
  let before = await look();
  for (
    let looks = 1;
    looks < LOOKS_BEFORE && performance.now() - began < LONGEST_BEFORE && !limit.aborted;
    looks += 1
  ) {
    await pause(BETWEEN);
    const now = await look(before);
    if (changes(before, now).length === 0) return now;
    before = now;
  }
  return before;
}

/** Looks behind the first change until all is there that is asked for: connections may be counted long before their requests. */
const LOOKS_FURTHER = 100;

/** Counts come when the answer is over, and not all at once: the change is there when two looks agree on it, or what was asked for is in it. */
async function untilChanged(
  before: Look,
  look: (last: Look) => Promise<Look>,
  { limit, expect }: StepContext,
): Promise<{ readonly after: Look; readonly changed: readonly Sample[] }> {
  let after = await look(before);
  for (let seen = 0, further = 0; !limit.aborted;) {
    const changed = changes(before, after);
    const agreed = changed.length > 0 && changed.length === seen;
    if (agreed && (further === LOOKS_FURTHER || holds(expect['changed'], changed))) return { after, changed };
    if (agreed) further += 1;
    seen = changed.length;
    await pause(BETWEEN);
    after = await look(after);
  }
  return { after, changed: changes(before, after) };
}

function holds(wanted: unknown, changed: readonly Sample[]): boolean {
  if (wanted === undefined) return true;
  return match(wanted, changed, { at: [], what: '', mode: 'subset', scope: {}, captures: new Map() }).every(
    ({ ok }) => ok,
  );
}

/** A line that stayed is the same object in both, so that few are compared. */
function changes(before: Look, after: Look): readonly Sample[] {
  const [was, is] = [new Set(before.samples), new Set(after.samples)];
  const values = new Map(
    before.samples.filter((sample) => !is.has(sample)).map((sample) => [keyOf(sample), sample.value]),
  );
  return after.samples.filter((sample) => !was.has(sample) && values.get(keyOf(sample)) !== sample.value);
}

function keyOf({ name, labels }: Sample): string {
  return JSON.stringify([name, Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

function observe({ status, contentType, text, samples, failure }: Look, changed: readonly Sample[]): Observation {
  return {
    status,
    contentType,
    samples,
    changed,
    families: [...new Set(samples.map(({ family }) => family))],
    malformed: text.malformed,
    ...(failure === undefined ? {} : { failure }),
  };
}
