import { isFieldValue } from '../base/headers.ts';
import { bytesBody } from '../base/read-body.ts';
import { compileOrFail } from '../cel/compile.ts';
import type { Program, VariableSource } from '../cel/program.ts';
import { asBody, asHeaderText } from '../cel/results.ts';
import type { Answer, Received } from '../exchange/exchange.ts';
import type { Facts } from '../exchange/facts.ts';
import type { Outcome } from '../exchange/outcome.ts';
import type {
  HeaderTransformation,
  Transform,
  Transformation,
} from '../resources/proxy-policy/fields/transformation.ts';
import { answerEditor, requestEditor, type Editor } from './edit-headers.ts';
import {
  prepareAnswer,
  prepareRequest,
  readsBody,
  whenReady,
  type Prepared,
  type PreparedAnswer,
} from './expression-input.ts';
import type { Policy } from './policy.ts';

/** One direction of a transformation, its expressions compiled. docs/decisions/failing-expressions.md */
export interface CompiledTransform {
  readonly metadata: readonly NamedProgram[];
  /** First those that add, then those that set. */
  readonly fields: readonly FieldProgram[];
  readonly remove: readonly string[];
  readonly body: Program | undefined;
  /** Whether the body of the message must be read before the expressions run. */
  readonly reads: boolean;
}

export interface CompiledTransformation {
  readonly request: CompiledTransform | undefined;
  readonly response: CompiledTransform | undefined;
}

interface NamedProgram {
  readonly name: string;
  readonly program: Program;
}

interface FieldProgram extends NamedProgram {
  readonly edit: 'add' | 'set';
}

/** Rewrites messages from expressions. Used for traffic and for single backends. */
export const transformMessage: Policy<Transformation, CompiledTransformation> = {
  compile: ({ request, response }) => ({
    request: request && compileTransform(request, 'request'),
    response: response && compileTransform(response, 'response'),
  }),

  request: (exchange, { request: transform }) => {
    if (transform === undefined) return { kind: 'continue' };
    return whenReady(prepareRequest(exchange, transform.reads), (prepared) => transformRequest(prepared, transform));
  },

  response: (exchange, { response: transform }, answer) => {
    if (transform === undefined) return answer;
    return whenReady(prepareAnswer(exchange, answer, transform.reads), (prepared) =>
      transformAnswer(exchange, prepared, transform),
    );
  },
};

function compileTransform(transform: Transform, message: 'request' | 'response'): CompiledTransform {
  const metadata = Object.entries(transform.metadata ?? {}).map(([name, text]) => ({
    name,
    program: compileOrFail(text),
  }));
  const fields = [...compileFields(transform.add, 'add'), ...compileFields(transform.set, 'set')];
  const body = transform.body === undefined ? undefined : compileOrFail(transform.body);
  const programs = [...metadata, ...fields].map(({ program }) => program).concat(body ?? []);
  return { metadata, fields, remove: transform.remove ?? [], body, reads: readsBody(programs, message) };
}

function compileFields(headers: readonly HeaderTransformation[] = [], edit: FieldProgram['edit']): FieldProgram[] {
  return headers.map(({ name, value }) => ({ name, program: compileOrFail(value), edit }));
}

function transformRequest({ exchange, variables }: Prepared<Received>, transform: CompiledTransform): Outcome {
  const facts = newMetadata(transform.metadata, variables, exchange.facts);
  const known = facts === undefined ? variables : withMetadata(variables, facts.metadata);
  const edited = editFields(exchange.request, requestEditor, transform, known);
  const request = transform.body === undefined ? edited : { ...edited, body: newBody(transform.body, known) };
  return { kind: 'change', request, ...(facts && { facts }) };
}

/** Metadata of the response side is seen by the expressions after it, but reaches no later policy. */
function transformAnswer(
  { request, facts }: Received,
  { answer, variables }: PreparedAnswer,
  transform: CompiledTransform,
): Answer {
  const learnt = newMetadata(transform.metadata, variables, facts);
  const known = learnt === undefined ? variables : withMetadata(variables, learnt.metadata);
  const edited = editFields(answer, answerEditor, transform, known);
  if (transform.body === undefined || answer.takeOver !== undefined) return edited;
  if (!mayHaveBody(request.method, edited.status)) return edited;
  answer.body?.cancel();
  return { ...edited, body: newBody(transform.body, known) };
}

/** A key whose expression fails is skipped. Undefined when there is nothing to learn. */
function newMetadata(
  programs: readonly NamedProgram[],
  variables: VariableSource,
  facts: Facts,
): Pick<Facts, 'metadata'> | undefined {
  if (programs.length === 0) return undefined;
  const learnt = programs.flatMap(({ name, program }) => {
    const evaluation = program.evaluate(variables);
    return evaluation.ok ? [[name, evaluation.value] as const] : [];
  });
  return { metadata: { ...facts.metadata, ...Object.fromEntries(learnt) } };
}

function withMetadata(variables: VariableSource, metadata: Facts['metadata']): VariableSource {
  return (root) => (root === 'metadata' ? metadata : variables(root));
}

/** Order: add, set, remove. Every expression sees the message as it came to the policy. */
function editFields<Message>(
  before: Message,
  editor: Editor<Message>,
  { fields, remove }: CompiledTransform,
  variables: VariableSource,
): Message {
  let message = before;
  for (const { name, program, edit } of fields) {
    const value = asHeaderText(program.evaluate(variables));
    // XFORM-001. A value that fails, is null or cannot stand in a field takes the whole header away: what a client sent
    // must not pass for it.
    const usable = value !== undefined && isFieldValue(value);
    message = usable ? editor[edit](message, name, value) : editor.remove(message, name);
  }
  for (const name of remove) message = editor.remove(message, name);
  return message;
}

/** A body whose expression fails is empty. */
function newBody(program: Program, variables: VariableSource): ReturnType<typeof bytesBody> {
  return bytesBody(asBody(program.evaluate(variables)) ?? new Uint8Array());
}

function mayHaveBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}
