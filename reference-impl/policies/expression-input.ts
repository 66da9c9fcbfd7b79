import { readBody } from '../base/read-body.ts';
import type { Program, VariableSource } from '../cel/program.ts';
import { bodyBehind } from '../exchange/body-behind.ts';
import { bodyLimit } from '../exchange/buffer-limit.ts';
import type { Answer, Received } from '../exchange/exchange.ts';
import { CONTINUE, type Outcome } from '../exchange/outcome.ts';
import { answerVariables, rememberRoots, requestVariables } from '../exchange/request-state.ts';

/** An exchange whose bodies are as far read as the expressions of a policy need, and the variables of those. */
export interface Prepared<Stage> {
  readonly exchange: Stage;
  readonly variables: VariableSource;
}

/** Whether one of the programs reads that body. Decided once per configuration. */
export function readsBody(programs: readonly Program[], body: 'request' | 'response'): boolean {
  return programs.some(({ bodies }) => bodies.has(body));
}

/** Variables of the request side. With `body`, the request body is read first, up to the buffer limit, and stays readable. */
export function prepareRequest<Stage extends Received>(
  exchange: Stage,
  body: boolean,
): Prepared<Stage> | Promise<Prepared<Stage>> {
  return body ? readRequest(exchange) : { exchange, variables: rememberRoots(requestVariables(exchange)) };
}

/** Variables of the response side; with `body`, the answer's body is read first in the same way. */
export function prepareAnswer(
  exchange: Received,
  answer: Answer,
  body: boolean,
): PreparedAnswer | Promise<PreparedAnswer> {
  return body ? readAnswer(exchange, answer) : { answer, variables: rememberRoots(answerVariables(exchange, answer)) };
}

export interface PreparedAnswer {
  readonly answer: Answer;
  readonly variables: VariableSource;
}

/** Goes on with `use` at once when nothing had to be waited for. */
export function whenReady<Ready, Result>(
  ready: Ready | Promise<Ready>,
  use: (ready: Ready) => Result | Promise<Result>,
): Result | Promise<Result> {
  return ready instanceof Promise ? ready.then(use) : use(ready);
}

/** Nothing changed but, perhaps, that the body has been read. */
export function goOn(before: Received, after: Received): Outcome {
  return after.request === before.request ? CONTINUE : { kind: 'change', request: after.request };
}

async function readRequest<Stage extends Received>(exchange: Stage): Promise<Prepared<Stage>> {
  const { request } = exchange;
  const read = await readBody(request.body, bodyLimit(exchange, 'request'));
  const now = request.body === undefined ? exchange : { ...exchange, request: { ...request, body: read.rest } };
  return { exchange: now, variables: withBody(requestVariables(now), 'request', read) };
}

async function readAnswer(exchange: Received, answer: Answer): Promise<PreparedAnswer> {
  const body = bodyBehind(answer);
  const read = await readBody(body, bodyLimit(exchange, 'response'));
  const now = body === undefined ? answer : { ...answer, body: read.rest };
  return { answer: now, variables: withBody(answerVariables(exchange, now), 'response', read) };
}

/** A body over the limit does not exist for expressions, only its prefix does. docs/decisions/cel-functions.md */
function withBody(
  source: VariableSource,
  message: 'request' | 'response',
  { bytes, overflow }: { readonly bytes: Uint8Array; readonly overflow: boolean },
): VariableSource {
  const members = overflow ? { bodyPrefix: bytes } : { body: bytes, bodyPrefix: bytes };
  return rememberRoots((root) => {
    const value = source(root);
    return root === message && typeof value === 'object' && value !== null ? { ...value, ...members } : value;
  });
}
