import { randomUUID } from 'node:crypto';
import { pause } from '../../../base/pause.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { asObject, asString, type Json, memberAt } from '../../json.ts';
import type { Asked } from '../asked.ts';
import type { Outcome, Request, Response } from '../message.ts';
import type { Arrived, MessageSource, Sent } from '../transports/transport.ts';

export interface Conversation {
  readonly request: Request;
  /** Says a request to the server. */
  readonly post: (request: Request) => Promise<Sent>;
}

/**
 * What a server without sessions says to a request, up to its end. A result that wants to know something first becomes requests to the
 * client, as servers with sessions make them, and what the client answers becomes the request that the server wants next.
 */
export async function* conversation(
  asked: Asked,
  { request, post }: Conversation,
  first: MessageSource,
): AsyncGenerator<Arrived, void> {
  let source = first;
  for (let round = 0; ; round += 1) {
    const answered = yield* upToResponse(source);
    const wanted = inputIn(asked, request, answered.response);
    if (wanted === undefined) {
      yield { message: { ...answered.response, id: request.id }, eventId: undefined };
      yield* toTheEnd(source);
      return;
    }
    source.cancel();
    const given = round < MOST_ROUNDS ? yield* inputOf(asked, wanted) : TOO_MANY;
    if ('error' in given) {
      yield { message: { kind: 'response', id: request.id, outcome: given }, eventId: undefined };
      return;
    }
    const { requestState } = wanted;
    const params = { ...request.params, ...given, ...(requestState !== undefined && { requestState }) };
    source = sourceIn(await post({ ...request, id: randomUUID(), params }));
  }
}

/** Times a server may ask about one request. */
const MOST_ROUNDS = 16;

const TOO_MANY = {
  error: { code: -32_603, message: `the server still wants to know something after ${MOST_ROUNDS} rounds` },
};

async function* upToResponse(source: MessageSource): AsyncGenerator<Arrived, { readonly response: Response }> {
  for (let arrived = await source.next(); arrived !== undefined; arrived = await source.next()) {
    if (arrived.message?.kind === 'response') return { response: arrived.message };
    // Such a stream has no place to which a client could come back.
    if (arrived.message !== undefined) yield { message: arrived.message, eventId: undefined };
  }
  throw new ProxyError('upstreamCallFailed', 'the MCP server ended without a response');
}

/** A connection that is read to its end stays. */
async function* toTheEnd(source: MessageSource): AsyncGenerator<Arrived, void> {
  for (let arrived = await source.next(); arrived !== undefined; arrived = await source.next()) yield arrived;
}

function sourceIn(sent: Sent): MessageSource {
  if (sent.kind === 'speaks') return sent.messages;
  if (sent.kind === 'fails') throw sent.failure;
  if (sent.kind === 'refuses') sent.answer.body?.cancel();
  throw new ProxyError('upstreamCallFailed', 'the MCP server did not go on with the request');
}

interface Wanted {
  readonly questions: readonly (readonly [name: string, question: Question])[];
  /** The server gets it back as it is. */
  readonly requestState: string | undefined;
}

interface Question {
  readonly method: string;
  readonly params: Json | undefined;
}

/** What a server wants to know of a client that can be asked; undefined where it does not, or may not. */
function inputIn({ memory }: Asked, { method }: Request, { outcome }: Response): Wanted | undefined {
  const result = 'result' in outcome ? asObject(outcome.result) : undefined;
  if (memory === undefined || !ASKING.has(method) || result?.['resultType'] !== 'input_required') return undefined;
  const requestState = asString(result['requestState']);
  const questions = Object.entries(asObject(result['inputRequests']) ?? {}).flatMap(([name, value]) => {
    const asks = asObject(value);
    const asksFor = asString(asks?.['method']) ?? '';
    const capability = CAPABILITY[asksFor];
    const isAble = capability !== undefined && memberAt(memory.capabilities, [capability]) !== undefined;
    return isAble ? [[name, { method: asksFor, params: asObject(asks?.['params']) }] as const] : [];
  });
  const asked = Object.keys(asObject(result['inputRequests']) ?? {}).length;
  const isGood = questions.length === asked && asked <= MOST_QUESTIONS && (asked > 0 || requestState !== undefined);
  return isGood ? { questions, requestState } : undefined;
}

/** Questions of one result. */
const MOST_QUESTIONS = 64;

/** Requests whose results may ask. */
const ASKING: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** What may be asked, and what a client that is asked it must be able to do. */
const CAPABILITY: Readonly<Partial<Record<string, string>>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

type Given = { readonly inputResponses?: Json } | { readonly error: Json };

/** Asks the client, all questions at once. What it refuses to answer it is told itself: nobody can tell the server. */
async function* inputOf(asked: Asked, { questions }: Wanted): AsyncGenerator<Arrived, Given> {
  if (questions.length === 0) {
    await pause(PAUSE, asked.exchange.clock, asked.exchange.cancellation);
    return {};
  }
  const waiting = questions.map(([name, question]) => ({ name, question, ...askClient(asked) }));
  try {
    for (const { id, question } of waiting)
      yield { message: { kind: 'request', id, method: question.method, params: question.params }, eventId: undefined };
    const outcomes = await Promise.all(waiting.map(async ({ name, outcome }) => [name, await outcome] as const));
    const refused = outcomes.map(([, outcome]) => outcome).find((outcome) => 'error' in outcome);
    if (refused !== undefined) return refused;
    const results = outcomes.map(
      ([name, outcome]) => [name, 'result' in outcome ? outcome.result : undefined] as const,
    );
    return { inputResponses: Object.fromEntries(results) };
  } finally {
    for (const { forget } of waiting) forget();
  }
}

interface Asking {
  /** Nobody can guess it. */
  readonly id: string;
  readonly outcome: Promise<Outcome>;
  readonly forget: () => void;
}

function askClient({ memory, exchange }: Asked): Asking {
  const id = randomUUID();
  const { promise: outcome, resolve, reject } = Promise.withResolvers<Outcome>();
  // Whoever waits for it hears it; a question that is not waited for yet must not end the process.
  outcome.catch(() => {});
  const forgetAnswer = memory?.ask(id, resolve);
  const forgetEnd = exchange.cancellation.onCancel(reject);
  return {
    id,
    outcome,
    forget: () => {
      forgetAnswer?.();
      forgetEnd();
    },
  };
}

/** Milliseconds until a server is asked again that wants nothing else. */
const PAUSE = 250;
