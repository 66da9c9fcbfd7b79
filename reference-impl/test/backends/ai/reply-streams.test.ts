import { describe, expect, test, vi, type Mock } from 'vitest';
import { FORMATS } from '../../../backends/ai/formats/registry.ts';
import { LlmCall } from '../../../backends/ai/llm-call.ts';
import { observedStream } from '../../../backends/ai/observed-stream.ts';
import { translatedStream, type Sides } from '../../../backends/ai/translated-stream.ts';
import { messagesToCompletions } from '../../../backends/ai/translate/messages-to-completions.ts';
import type { Body } from '../../../base/body.ts';
import { Cancellation } from '../../../base/cancellation.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { aiExchange } from './support/exchange.ts';

/** A body of these pieces that then ends, or breaks. */
function bodyOf(pieces: readonly string[], failure?: Error): Body & { readonly cancel: Mock<() => void> } {
  const rest = pieces.map((piece) => Buffer.from(piece));
  return {
    read: () => {
      const next = rest.shift();
      return next === undefined && failure !== undefined ? Promise.reject(failure) : Promise.resolve(next);
    },
    cancel: vi.fn<() => void>(),
    length: undefined,
  };
}

async function text(body: Body): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const question = { provider: 'p', streaming: true, model: 'm', request: {}, format: FORMATS.completions };
const exchange = aiExchange();
const newCall = (): LlmCall => new LlmCall(question, exchange);
const DELTA = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
const USAGE = 'data: {"choices":[],"model":"m-2","usage":{"prompt_tokens":30,"completion_tokens":40}}\n\n';
const broken = new ProxyError('upstreamCallFailed', 'reset');

describe('a stream that passes', () => {
  test('keeps every byte, wherever it is cut, and its tokens are known at its end', async () => {
    const whole = `: ping\r\n\r\n${DELTA}${USAGE}data: [DONE]\n\n`;
    for (const size of [1, 7, 1000]) {
      const call = newCall();
      const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(await text(observedStream(bodyOf(pieces), FORMATS.completions, call, new Cancellation()))).toBe(whole);
      expect(call.totalTokens()).toBe(70);
      expect(call.complete()).toBe(true);
      expect(call.variables()).toMatchObject({ responseModel: 'm-2', inputTokens: 30, outputTokens: 40 });
    }
  });

  test.each([
    ['between two events', [DELTA], DELTA],
    ['in the middle of one', [DELTA, 'data: {"cho'], `${DELTA}data: {"cho\n\n`],
    ['before the first one', [], ''],
  ])('ends with an error of its format when the provider breaks off %s', async (_, pieces, before) => {
    const call = newCall();
    const told = await text(observedStream(bodyOf(pieces, broken), FORMATS.completions, call, new Cancellation()));
    expect(told.startsWith(`${before}data: {"error":`)).toBe(true);
    expect(told.endsWith('}\n\n')).toBe(true);
    expect(call.complete()).toBe(true);
  });

  test('adds nothing when the request was given up', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel(new ProxyError('clientGone'));
    const body = observedStream(bodyOf([], broken), FORMATS.completions, newCall(), cancellation);
    await expect(body.read()).rejects.toBe(broken);
  });

  test('is cut off at the provider when the client wants no more', () => {
    const upstream = bodyOf([DELTA]);
    observedStream(upstream, FORMATS.completions, newCall(), new Cancellation()).cancel();
    expect(upstream.cancel).toHaveBeenCalledOnce();
  });
});

const sides = (): Sides => ({
  client: FORMATS.messages,
  upstream: FORMATS.completions,
  translator: messagesToCompletions.stream({ created: 1, id: () => 'id' }),
});

describe('a stream that is translated', () => {
  test('counts what the provider says, and speaks to the client in its format', async () => {
    const call = newCall();
    const finish = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
    const body = bodyOf([DELTA, finish, USAGE, 'data: [DONE]\n\n']);
    const told = await text(translatedStream(body, sides(), call, new Cancellation()));
    expect(told).toContain('event: message_stop');
    expect(call.totalTokens()).toBe(70);
  });

  test('ends with an error of the client when the provider breaks off', async () => {
    const told = await text(translatedStream(bodyOf([DELTA], broken), sides(), newCall(), new Cancellation()));
    expect(told).toContain('event: error\ndata: {"type":"error"');
  });

  test('ends with an error when an event is larger than allowed, and the provider is cut off', async () => {
    const upstream = bodyOf([`data: ${'x'.repeat(5 * 1024 * 1024)}`]);
    const told = await text(translatedStream(upstream, sides(), newCall(), new Cancellation()));
    expect(told).toContain('"type":"error"');
    expect(upstream.cancel).toHaveBeenCalledOnce();
  });

  test('reads no more than it tells: a piece at a time', async () => {
    const read = vi.fn(() => Promise.resolve(Buffer.from(DELTA)));
    const body = translatedStream(
      { read, cancel: () => {}, length: undefined },
      sides(),
      newCall(),
      new Cancellation(),
    );
    await body.read();
    expect(read).toHaveBeenCalledOnce();
  });
});
