import { z } from 'zod';
import { a2a } from './kinds/a2a.ts';
import { apply } from './kinds/apply.ts';
import { awaitKind } from './kinds/await.ts';
import { cli } from './kinds/cli.ts';
import { frames } from './kinds/frames.ts';
import { http } from './kinds/http.ts';
import { llm } from './kinds/llm.ts';
import { mcp } from './kinds/mcp.ts';
import { metricsKind } from './kinds/metrics.ts';
import { op } from './kinds/op.ts';
import { parallelKind } from './kinds/parallel.ts';
import { raw } from './kinds/raw.ts';
import { repeatKind } from './kinds/repeat.ts';
import { status } from './kinds/status.ts';
import { terminal } from './kinds/terminal.ts';
import { trace } from './kinds/trace.ts';
import { websocket } from './kinds/websocket.ts';
import { durationText, expectations, MATCHERS_MARK, orPlaceholder, STEP_MARK } from './authoring.ts';
import { asMessage, jsonBytes, type Exchange } from './exchange-record.ts';
import { CaseFault, type Observation, type StepContext, type StepDefinition, type StepKind } from './step.ts';

/** Every kind of step by the key that selects it. `parallel` and `repeat` hold steps themselves. */
export const stepKinds: Readonly<Record<string, StepKind>> = {
  http: kind(http),
  llm: kind(llm),
  a2a: kind(a2a),
  mcp: kind(mcp),
  raw: kind(raw),
  frames: kind(frames),
  websocket: kind(websocket),
  trace: kind(trace),
  op: kind(op),
  status: kind(status),
  apply: kind(apply),
  await: kind(awaitKind),
  metrics: kind(metricsKind(() => stepSchema)),
  cli: kind(cli),
  terminal: kind(terminal),
  parallel: kind(parallelKind(() => stepSchema)),
  repeat: kind(repeatKind(() => stepSchema)),
};

/** When to open a gate of a peer while this step is receiving. */
export const onRuleSchema = z.strictObject({
  chunk: z.int().min(1).optional().describe('when this chunk of the answer has come, counted from 1'),
  event: z.int().min(1).optional().describe('when this event of a stream has come, counted from 1'),
  head: z.literal(true).optional().describe('when the head of the answer has come'),
  text: z.string().min(1).optional().describe('when this text has come; on a terminal, when the screen shows it'),
  open: z.string().describe('the gate that opens then; a peer waits at it'),
});

/** What the first group of an expression finds in a text of the observation, such as the address in a challenge. */
const capturedPart = z.strictObject({
  of: z.string().min(1).describe('where the text stands in what was seen'),
  re: z
    .string()
    .refine(hasGroup, 'a regular expression with a group')
    .describe('its first group is kept; when it finds nothing the step fails, unless there is else'),
  else: z.string().optional().describe('kept when nothing is found: where to look without being told'),
});

/** Keys a step may have besides the key of its kind. */
export const commonStepShape = {
  id: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'a step id is lower-case letters, digits and dashes')
    .describe('name of the step in reports, only once in a case'),
  control: z
    .literal(true)
    .optional()
    .describe('shows that the good way works: when it fails, the case is inconclusive and never passes'),
  within: orPlaceholder(durationText)
    .optional()
    .describe("time limit of the step, such as 500ms; the manifest's tune.timeout when absent"),
  on: z.array(onRuleSchema).optional().describe('opens gates of peers while the answer is coming'),
  capture: z
    .record(z.string(), z.union([z.string(), capturedPart]))
    .optional()
    .describe(
      'keeps parts of what was seen: { NAME: headers.x-id } or { NAME: { of: body, re: id=(.+) } }, later ${NAME}',
    ),
} as const;

/** A whole step: the common keys, exactly one key of a kind, and the expectations of that kind. */
export const stepSchema: z.ZodType<Readonly<Record<string, unknown>>> = z.lazy(() => buildStepSchema());

function hasGroup(text: string): boolean {
  try {
    // The empty alternative always matches, with every group of the expression in the answer.
    return (new RegExp(`${text}|`, 'u').exec('')?.length ?? 0) > 1;
  } catch {
    return false;
  }
}

let built: z.ZodType<Readonly<Record<string, unknown>>> | undefined;

function buildStepSchema(): z.ZodType<Readonly<Record<string, unknown>>> {
  built ??= z
    .strictObject({
      ...commonStepShape,
      ...Object.fromEntries(
        Object.values(stepKinds).map((entry) => [entry.name, entry.schema.optional().describe(entry.text)]),
      ),
      expect: z
        .record(z.string(), z.unknown())
        .meta(MATCHERS_MARK)
        .optional()
        .describe('what the step must have seen; which members there are depends on its kind'),
    })
    .superRefine((step, context) => checkKind(step, context))
    .meta(STEP_MARK);
  return built;
}

function checkKind(step: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  const chosen = Object.keys(stepKinds).filter((name) => step[name] !== undefined);
  const [name] = chosen;
  if (chosen.length !== 1 || name === undefined) {
    const known = Object.keys(stepKinds).join(', ');
    context.addIssue({
      code: 'custom',
      message: `a step has exactly one of ${known}; this one has ${chosen.join(' and ') || 'none'}`,
    });
    return;
  }
  if (step.expect === undefined) return;
  const answer = stepKinds[name]?.expectSchema.safeParse(step.expect);
  for (const issue of answer?.error?.issues ?? []) {
    context.addIssue({ code: 'custom', path: ['expect', ...issue.path], message: issue.message, params: { issue } });
  }
}

/** Name of the kind of a raw step of a case file; undefined when it has none or several. */
export function kindOf(step: Readonly<Record<string, unknown>>): string | undefined {
  const chosen = Object.keys(stepKinds).filter((name) => step[name] !== undefined);
  return chosen.length === 1 ? chosen[0] : undefined;
}

// The registry only ever calls a kind with what its own schema returned, so the input type may be forgotten here.
function kind<Input>(entry: StepDefinition<Input>): StepKind {
  return {
    ...entry,
    expectSchema: expectations(entry.expectKeys),
    run: async (input, context) => {
      const seen = await entry.run(readInput(entry, input, context.stepId), context);
      if (!OWN_RECORD.has(entry.name))
        context.timeline.exchanged(() => plainExchange(entry.name, input, seen, context));
      return seen;
    },
    describe: (input) => entry.describe(entry.schema.parse(input)),
    curl: entry.curl && wrapCurl(entry.schema, entry.curl),
  };
}

/** Throws CaseFault for an input that fitted before its placeholders were filled and does not any more. */
function readInput<Input>({ name, schema }: StepDefinition<Input>, input: unknown, stepId: string): Input {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  throw new CaseFault(`step ${stepId} does not fit ${name} after interpolation: ${issues}`);
}

/** Kinds that write down what went over the wire themselves, or consist of steps that do. */
const OWN_RECORD: ReadonlySet<string> = new Set([
  'http',
  'llm',
  'a2a',
  'mcp',
  'raw',
  'frames',
  'op',
  'parallel',
  'repeat',
  'await',
]);

function plainExchange(name: string, input: unknown, seen: Observation, { stepId }: StepContext): Exchange {
  return {
    step: stepId,
    request: asMessage([name], jsonBytes(input)),
    answer: asMessage(['observed'], jsonBytes(seen)),
  };
}

function wrapCurl<Input>(
  schema: z.ZodType<Input>,
  curl: NonNullable<StepDefinition<Input>['curl']>,
): NonNullable<StepKind['curl']> {
  return (input, context) => curl(schema.parse(input), context);
}
