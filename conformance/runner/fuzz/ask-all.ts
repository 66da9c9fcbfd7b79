import type { ConcreteCase } from '../case/concrete-case.ts';
import { judge } from '../schedule/judge-case.ts';
import type { PreparedCase } from '../schedule/prepare-case.ts';
import { questionOf, type OpInput, type Question } from '../steps/operation.ts';
import type { OperationAnswer, Resource } from '../sut/session.ts';
import { isFailure } from '../values/check.ts';
import { isList, isObject } from '../values/json.ts';

/** Whether every step of an example is a question to the adapter, which needs no running proxy. */
export function asksOnly({ layer, steps }: ConcreteCase): boolean {
  return layer === 'op' && steps.every(({ kind }) => kind === 'op');
}

/**
 * Asks the questions of many examples without waiting for one answer before the next question, all beside the resources and peers of one
 * prepared case. Says of each example whether every answer is the expected one.
 */
export async function askAll(examples: readonly ConcreteCase[], held: PreparedCase): Promise<readonly boolean[]> {
  // While the adapter works on one message the next one is made, and the answers to the one before are looked at.
  const messages = Array.from({ length: Math.ceil(examples.length / IN_ONE) }, async (_, index) =>
    askTogether(examples.slice(index * IN_ONE, (index + 1) * IN_ONE), held),
  );
  return (await Promise.all(messages)).flat();
}

const IN_ONE = 32;

async function askTogether(examples: readonly ConcreteCase[], held: PreparedCase): Promise<readonly boolean[]> {
  const asked = examples.map((example) => {
    const set = held.render(example.config).filter(isObject);
    const world = { namespace: held.case.namespace, resources: () => [...held.resources, ...set], render: held.render };
    return { example, set, questions: example.steps.map(({ input }) => questionOf(asInput(input), world)) };
  });
  const answers = (await inBulk(asked, held)) ?? (await Promise.all(asked.map(async (one) => oneByOne(one, held))));
  return examples.map(({ steps }, index) =>
    steps.every((step, at) => {
      const seen = observationOf(answers[index]?.[at]);
      const where = { at: step.at, what: step.id };
      return !judge(step.expect, seen, where, { prepared: held, captures: NO_CAPTURES }).some(isFailure);
    }),
  );
}

const NO_CAPTURES = new Map<string, unknown>();

interface Asked {
  readonly example: ConcreteCase;
  /** What the example adds to the resources of the prepared case. */
  readonly set: readonly Resource[];
  readonly questions: readonly Question[];
}

const BULK = 'effective-policies';

/** One message for all of them, where the adapter takes it and every example asks the same; otherwise undefined. */
async function inBulk(
  asked: readonly Asked[],
  held: PreparedCase,
): Promise<readonly (readonly OperationAnswer[])[] | undefined> {
  const { session } = held.instance;
  const [first] = asked;
  if (first === undefined || !session.ops.includes(BULK)) return undefined;
  if (!first.questions.every(({ name }) => name === 'effective-policy')) return undefined;
  if (!asked.every(({ example }) => sameQuestions(example, first.example))) return undefined;
  const questions = first.questions.map(({ payload }) => {
    const { resources: _, ...question } = payload;
    return question;
  });
  const input = { questions, shared: held.resources, sets: asked.map(({ set }) => set) };
  const answer = await session.op(BULK, input, held.case.id);
  const all = answer.kind === 'result' && isObject(answer.result) ? answer.result['answers'] : undefined;
  return asked.map(({ questions: ofSet }, index) =>
    ofSet.map((_, at) => (answer.kind === 'result' ? answerAt(all, index, at) : answer)),
  );
}

function sameQuestions(one: ConcreteCase, other: ConcreteCase): boolean {
  return (
    one.steps.length === other.steps.length &&
    one.steps.every(({ input }, index) => JSON.stringify(input) === JSON.stringify(other.steps[index]?.input))
  );
}

function answerAt(all: unknown, set: number, question: number): OperationAnswer {
  const ofSet: unknown = isList(all) ? all[set] : undefined;
  const found: unknown = isList(ofSet) ? ofSet[question] : undefined;
  if (isObject(found) && 'result' in found) return { kind: 'result', result: found['result'] };
  const error = isObject(found) ? found['error'] : undefined;
  return { kind: 'error', message: isObject(error) ? String(error['message']) : 'no answer' };
}

async function oneByOne({ questions }: Asked, held: PreparedCase): Promise<readonly OperationAnswer[]> {
  const { session } = held.instance;
  return Promise.all(questions.map(async ({ name, payload }) => session.op(name, payload, held.case.id)));
}

function observationOf(answer: OperationAnswer | undefined): unknown {
  if (answer?.kind === 'result') return { result: answer.result };
  return { error: answer?.message ?? 'no answer' };
}

// What a family writes as the input of an op step fits its schema.
function asInput(input: unknown): OpInput {
  return isObject(input) ? input : {};
}
