import { asObject, asObjects, asString, parseObject, present, type Json } from '../../../json.ts';
import { refuseRemains } from '../assistant-remains.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { mediaPart } from './media.ts';
import { thoughtSignatureIn } from './thought-signature.ts';

/** All texts of the operator, which this format keeps apart from the conversation. */
export function systemInstruction(messages: readonly Json[]): Json | undefined {
  const texts = messages.filter(isOperator).map(({ content }) => textsOf(content).join('\n'));
  return texts.length === 0 ? undefined : { parts: [{ text: texts.join('\n') }] };
}

/** The turns of the user and of the model. Neighbours of one role are one turn; results of tools are a turn of their own. */
export function contents(messages: readonly Json[]): readonly Json[] {
  const names = callNames(messages);
  const turns: Turn[] = [];
  for (const message of messages.filter((one) => !isOperator(one))) {
    const turn = turnOf(message, names);
    const last = turns.at(-1);
    if (turn.parts.length === 0) continue;
    if (last?.kind === turn.kind) last.parts.push(...turn.parts);
    else turns.push(turn);
  }
  if (turns.length === 0) return [{ role: 'user', parts: [BLANK] }];
  return turns.map(({ kind, parts }) => ({
    role: kind === 'model' ? 'model' : 'user',
    parts: withText(kind, inOrder(parts)),
  }));
}

interface Turn {
  readonly kind: 'user' | 'model' | 'results';
  readonly parts: Placed[];
}

/** A part, and its place among the parts of a turn that come in the order of the calls they answer. */
interface Placed {
  readonly part: Json;
  readonly order: number;
}

/** The provider refuses a turn that has only pictures. */
const BLANK: Json = { text: ' ' };

function withText(kind: Turn['kind'], parts: readonly Json[]): readonly Json[] {
  return kind !== 'user' || parts.some((part) => part['text'] !== undefined) ? parts : [...parts, BLANK];
}

function isOperator({ role }: Json): boolean {
  return role === 'system' || role === 'developer';
}

/** The functions that were called, and in which order, by the ids their results refer to. */
type CallNames = ReadonlyMap<string, { readonly name: string; readonly order: number }>;

function callNames(messages: readonly Json[]): CallNames {
  const calls = messages.flatMap((message) => asObjects(message['tool_calls']));
  return new Map(
    calls.map((call, order) => [
      asString(call['id']) ?? '',
      { name: asString(asObject(call['function'])?.['name']) ?? '', order },
    ]),
  );
}

function turnOf(message: Json, names: CallNames): Turn {
  const role = asString(message['role']) ?? '';
  if (role === 'user') return { kind: 'user', parts: asWritten(userParts(message['content'])) };
  if (role === 'assistant') return { kind: 'model', parts: asWritten(modelParts(message)) };
  if (role === 'tool') return { kind: 'results', parts: [functionResponse(message, names)] };
  if (role === 'function') return { kind: 'user', parts: asWritten(textParts(message['content'])) };
  throw new UnsupportedByFormat(`a message with role ${role} has no counterpart at the provider`);
}

function userParts(content: unknown): Json[] {
  if (typeof content === 'string') return textParts(content);
  return asObjects(content).flatMap((part) => (part['type'] === 'text' ? textParts(part['text']) : [mediaPart(part)]));
}

function modelParts(message: Json): Json[] {
  refuseRemains(message);
  const calls = asObjects(message['tool_calls']).map(functionCall);
  return [...textParts(message['content']), ...textParts(message['refusal']), ...calls];
}

/** The id of a call has no place here, but it may carry the signature of the thoughts that led to it. */
function functionCall(call: Json): Json {
  const called = asObject(call['function']);
  if (called === undefined) {
    throw new UnsupportedByFormat(`a tool call of type ${asString(call['type']) ?? ''} has no counterpart`);
  }
  const args = parseObject(asString(called['arguments']) ?? '') ?? {};
  const thoughtSignature = thoughtSignatureIn(asString(call['id']) ?? '');
  return present({ functionCall: { name: called['name'], args }, thoughtSignature });
}

function functionResponse(message: Json, names: CallNames): Placed {
  const id = asString(message['tool_call_id']) ?? '';
  const call = names.get(id);
  if (call === undefined) throw new UnsupportedByFormat(`no tool was called with the id ${id}`);
  if (asObjects(message['content']).some(({ type }) => type !== 'text'))
    throw new UnsupportedByFormat('the provider takes only text as the result of a tool');
  const response = { content: textsOf(message['content']).join('\n') };
  return { part: { functionResponse: { name: call.name, response } }, order: call.order };
}

/** Without ids, the order says which result belongs to which call. */
function inOrder(parts: readonly Placed[]): readonly Json[] {
  return parts.toSorted((one, other) => one.order - other.order).map(({ part }) => part);
}

function asWritten(parts: readonly Json[]): Placed[] {
  return parts.map((part) => ({ part, order: 0 }));
}

function textParts(content: unknown): Json[] {
  return textsOf(content)
    .filter((text) => text !== '')
    .map((text) => ({ text }));
}

/** The texts of content that is a string or a list of parts; what a model refuses to say is text too. */
function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content];
  return asObjects(content).flatMap((part) => asString(part['text']) ?? asString(part['refusal']) ?? []);
}
