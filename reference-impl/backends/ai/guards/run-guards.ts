import { ProxyError } from '../../../base/proxy-error.ts';
import type { Answer } from '../../../exchange/exchange.ts';
import type { Format, Json, PromptText } from '../formats/format.ts';
import { editAllText } from './edit-all-text.ts';
import { type Context, type Guard, GuardFailure, PASS, type Question, type Verdict } from './guard.ts';
import { rejection } from './rejection.ts';
import { TEXT_TABLES } from './text-tables.ts';
import { mayPass } from './undecided.ts';
import { workBudget } from './work.ts';

/** What became of a request or a reply: its JSON as the guards leave it, or the answer to what they reject. */
export type Guarded = { readonly json: Json } | { readonly answer: Answer };

/** Whether guards understand what is said in the format. docs/decisions/prompt-guard.md */
export function isGuarded({ name }: Format): boolean {
  return TEXT_TABLES[name] !== undefined;
}

/** GUARD-004: guards of prompts in their order, each on what the ones before left. Throws promptGuardFailed. */
export function guardRequest(guards: readonly Guard[], client: Format, context: Context): Promise<Guarded> | Guarded {
  const { llmRequest } = context;
  if (guards.length === 0 || !isGuarded(client)) return { json: llmRequest };
  return guardInTurn(
    guards,
    llmRequest,
    { ...context, phase: 'request' },
    {
      texts: (json) => textsIn(client, json, 'user'),
      withTexts: (json, texts) => withPrompt(client, json, texts),
    },
  );
}

/** GUARD-005: the same for a whole reply in the format of the client. Throws replyGuardFailed. */
export function guardReply(
  guards: readonly Guard[],
  client: Format,
  reply: Json,
  context: Context,
): Promise<Guarded> | Guarded {
  if (guards.length === 0 || !isGuarded(client)) return { json: reply };
  return guardInTurn(
    guards,
    reply,
    { ...context, phase: 'response' },
    {
      texts: (json) => textsIn(client, json, 'assistant'),
      withTexts: (json, texts) => replaceTexts(client, json, texts, 'assistant'),
    },
  );
}

interface Texts {
  readonly texts: (json: Json) => readonly PromptText[];
  readonly withTexts: (json: Json, texts: readonly PromptText[]) => Json;
}

async function guardInTurn(
  guards: readonly Guard[],
  first: Json,
  context: Omit<Question, 'texts' | 'work'>,
  { texts, withTexts }: Texts,
): Promise<Guarded> {
  const work = workBudget(context.exchange.cancellation);
  let json = first;
  for (const guard of guards) {
    const said = readTexts(texts, json, context.phase);
    if (said.length === 0) break;
    const verdict = await verdictOf(guard, { ...context, work, texts: said });
    if (verdict.kind === 'reject') return { answer: rejection(guard.response, verdict, context.phase) };
    if (verdict.kind === 'mask') json = withTexts(json, verdict.texts);
  }
  return { json };
}

/** What cannot be read cannot be judged, by any guard. */
function readTexts(texts: Texts['texts'], json: Json, phase: Question['phase']): readonly PromptText[] {
  try {
    return texts(json);
  } catch (error) {
    if (!(error instanceof GuardFailure)) throw error;
    throw new ProxyError(FAILED[phase], 'prompt guard failed', { cause: error });
  }
}

async function verdictOf(guard: Guard, question: Question): Promise<Verdict> {
  try {
    return await guard.check(question);
  } catch (error) {
    if (mayPass(error, guard, question.exchange, false)) return PASS;
    throw new ProxyError(FAILED[question.phase], 'prompt guard failed', { cause: error });
  }
}

const FAILED = { request: 'promptGuardFailed', response: 'replyGuardFailed' } as const;

/** What a prompt is made of, in any format of a client. */
const CONVERSATION = ['system', 'instructions', 'messages', 'input'];

/** Texts that stand for the ones there were take their places; any other list of messages is a new conversation. */
function withPrompt(client: Format, request: Json, texts: readonly PromptText[]): Json {
  const before = textsIn(client, request, 'user');
  const inPlace = before.length === texts.length && before.every(({ role }, index) => role === texts[index]?.role);
  if (inPlace) return replaceTexts(client, request, texts, 'user');
  const bare = Object.fromEntries(Object.entries(request).filter(([member]) => !CONVERSATION.includes(member)));
  return client.enrich(
    bare,
    texts.map(({ role, text }) => ({ role, content: text })),
    [],
  );
}

/** All the text of a request or a reply, in the order in which `replaceTexts` takes it. */
function textsIn({ name }: Format, json: Json, role: string): readonly PromptText[] {
  const table = TEXT_TABLES[name];
  const texts: PromptText[] = [];
  if (table === undefined) return texts;
  editAllText(json, { table, role, joins: true }, ({ text, role: of, seams }) => {
    texts.push({ role: of, text, ...(seams && { seams }) });
    return text;
  });
  return texts;
}

function replaceTexts({ name }: Format, json: Json, texts: readonly PromptText[], role: string): Json {
  const table = TEXT_TABLES[name];
  if (table === undefined) return json;
  let next = 0;
  return editAllText(json, { table, role, joins: true }, ({ text }) => texts[next++]?.text ?? text);
}
