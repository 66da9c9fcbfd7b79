import type { Body } from '../../base/body.ts';
import { parseByteSize } from '../../base/byte-size.ts';
import { readBody } from '../../base/read-body.ts';
import { bodyBehind } from '../../exchange/body-behind.ts';
import { bufferLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Received } from '../../exchange/exchange.ts';
import { CONTINUE, type Outcome } from '../../exchange/outcome.ts';
import { refusal } from '../../exchange/refusal.ts';
import type { Buffer as BufferField, BufferBody } from '../../resources/proxy-policy/fields/buffer.ts';
import type { Policy } from '../policy.ts';

/** BUFFER-009: each direction has its own limit and its own way to fail. */
export interface CompiledBuffer {
  readonly request: CompiledBufferBody | undefined;
  readonly response: CompiledBufferBody | undefined;
}

interface CompiledBufferBody {
  /** Undefined: the global setting of the listener. */
  readonly maxBytes: number | undefined;
  readonly failsOpen: boolean;
}

/** Holds bodies back until they are complete (BUFFER-001, BUFFER-002). docs/decisions/buffer.md */
export const buffer: Policy<BufferField, CompiledBuffer> = {
  compile: ({ request, response }) => ({
    request: request && compileBody(request),
    response: response && compileBody(response),
  }),

  request: (exchange, { request: limit }) => {
    const { body } = exchange.request;
    if (limit === undefined || body === undefined) return CONTINUE;
    return holdRequest(exchange, body, limit);
  },

  // What the proxy says itself was never forwarded, and is complete.
  response: (exchange, { response: limit }, answer) => {
    const { from } = answer;
    const body = bodyBehind(answer);
    if (limit === undefined || body === undefined || from !== 'backend') return answer;
    return holdAnswer(exchange, answer, body, limit);
  },
};

/** BUFFER-006: FailClosed is the default. */
function compileBody({ maxBytes, failureMode = 'FailClosed' }: BufferBody): CompiledBufferBody {
  return {
    maxBytes: maxBytes === undefined ? undefined : parseByteSize(maxBytes),
    failsOpen: failureMode === 'FailOpen',
  };
}

async function holdRequest(exchange: Received, body: Body, limit: CompiledBufferBody): Promise<Outcome> {
  const held = await hold(exchange, body, limit);
  // BUFFER-004
  if (held === undefined) return { kind: 'answer', answer: refusal('bodyTooLarge') };
  return { kind: 'change', request: { ...exchange.request, body: held } };
}

async function holdAnswer(exchange: Received, answer: Answer, body: Body, limit: CompiledBufferBody): Promise<Answer> {
  const held = await hold(exchange, body, limit);
  // BUFFER-005
  return held === undefined ? refusal('responseTooLarge') : { ...answer, body: held };
}

/** The body, complete; or, when it is too large, as it comes (BUFFER-007), or undefined and cancelled. */
async function hold(
  exchange: Received,
  body: Body,
  { maxBytes = bufferLimit(exchange), failsOpen }: CompiledBufferBody,
): Promise<Body | undefined> {
  // A length that is declared need not be waited for.
  const declaredTooLarge = body.length !== undefined && body.length > maxBytes;
  const { rest, overflow } = declaredTooLarge ? { rest: body, overflow: true } : await readBody(body, maxBytes);
  if (!overflow || failsOpen) return rest;
  rest.cancel();
  return undefined;
}
