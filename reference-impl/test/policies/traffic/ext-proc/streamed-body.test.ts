import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HeaderMap } from '../../../../base/headers.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';
import { processMessage } from '../../../../policies/traffic/ext-proc/process-message.ts';
import type { ProcessingRequest } from '../../../../upstream/wire/ext_proc_pb.js';
import { type Answer, conversationWith, lettingPass, pieces, requestWith, speechOf, textOf } from './support.ts';

const KIB = 1024;

describe('a body that is streamed through the processor', () => {
  test('takes nothing more from its sender while its reader is slow', async () => {
    const source = pieces(Array.from({ length: 100 }, () => new Uint8Array(16 * KIB)));
    const { conversation } = conversationWith(lettingPass);
    const { message } = await processMessage(speechOf(conversation), requestWith(source), false);
    await settled();
    const ahead = source.taken();
    expect(ahead).toBeLessThan(10);
    await settled();
    expect(source.taken()).toBe(ahead);
    expect(await textOf(message.body)).toHaveLength(1600 * KIB);
  });

  test('holds a processor back that sends far more than anybody reads', async () => {
    let sent = 0;
    const { conversation } = conversationWith(async function* (asked: ProcessingRequest) {
      if (asked.request.case !== 'requestBody') {
        yield* lettingPass(asked);
        return;
      }
      for (; sent < 1000; sent += 1) {
        await Promise.resolve();
        yield streamed(new Uint8Array(16 * KIB), sent === 999);
      }
    });
    const { message } = await processMessage(speechOf(conversation), requestWith(pieces([Buffer.from('x')])), false);
    await settled();
    expect(sent * 16).toBeLessThan(1200);
    expect(await textOf(message.body)).toHaveLength(16_000 * KIB);
  });

  test('ends with what the processor makes of its trailers', async () => {
    const source = pieces([Buffer.from('hello')], HeaderMap.of([['x-sum', '1']]));
    const { conversation, heard } = conversationWith(function* (message: ProcessingRequest) {
      if (message.request.case !== 'requestTrailers') {
        yield* lettingPass(message);
        return;
      }
      const headerMutation = { setHeaders: [{ header: { key: 'x-more', value: 'm' } }], removeHeaders: ['x-sum'] };
      yield { response: { case: 'requestTrailers', value: { headerMutation } } };
    });
    const { message } = await processMessage(speechOf(conversation), requestWith(source), false);
    expect(await textOf(message.body)).toBe('hello');
    expect([...(message.body?.trailers?.() ?? [])]).toEqual([['x-more', 'm']]);
    expect(heard.map(({ request }) => request.case)).toEqual(['requestHeaders', 'requestBody', 'requestTrailers']);
  });

  test('breaks when the processor breaks off, after what had come back', async () => {
    const { conversation } = conversationWith(function* (message: ProcessingRequest) {
      if (message.request.case === 'requestBody') {
        yield streamed(Buffer.from('some'), false);
        throw new Error('broken');
      }
      yield* lettingPass(message);
    });
    const body = pieces([Buffer.from('hello')]);
    const { message } = await processMessage(speechOf(conversation), requestWith(body), false);
    expect(Buffer.from((await message.body?.read()) ?? []).toString()).toBe('some');
    await expect(message.body?.read()).rejects.toThrow('ext_proc failed: broken');
    expect(conversation.bodyGiven).toBe(true);
  });
});

describe('whatever the processor answers', () => {
  const part = fc.constantFrom('requestHeaders', 'requestBody', 'requestTrailers', 'responseHeaders', 'responseBody');
  const mutation = fc.oneof(
    fc.constant({ case: undefined }),
    fc.record({ case: fc.constant('body' as const), value: fc.uint8Array({ maxLength: 9 }) }),
    fc.record({ case: fc.constant('clearBody' as const), value: fc.boolean() }),
    fc.record({
      case: fc.constant('streamedResponse' as const),
      value: fc.record({ body: fc.uint8Array({ maxLength: 9 }), endOfStream: fc.boolean() }),
    }),
  );
  const headerMutation = fc.record({
    setHeaders: fc.array(
      fc.record({
        header: fc.record({ key: fc.string({ maxLength: 5 }), value: fc.string({ maxLength: 5 }) }),
        appendAction: fc.integer({ min: 0, max: 9 }),
      }),
      { maxLength: 2 },
    ),
    removeHeaders: fc.array(fc.string({ maxLength: 5 }), { maxLength: 2 }),
  });
  const answer: fc.Arbitrary<Answer> = fc
    .tuple(part, mutation, headerMutation)
    .map(([kind, bodyMutation, headers]): Answer =>
      kind === 'requestTrailers'
        ? { response: { case: kind, value: { headerMutation: headers } } }
        : {
            response: {
              case: kind,
              value: { response: { headerMutation: headers, bodyMutation: { mutation: bodyMutation } } },
            },
          },
    );
  const mode = fc.constantFrom('FullDuplexStreamed', 'Buffered', 'BufferedPartial', 'None');

  test('the request goes on or fails in order, and nothing waits for ever', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.array(answer, { maxLength: 3 }), { maxLength: 4 }), mode, async (turns, body) => {
        const left = [...turns];
        const { conversation, clock } = conversationWith(() => left.shift() ?? [], { requestBodyMode: body });
        const source = pieces([Buffer.from('hel'), Buffer.from('lo')], HeaderMap.of([['x-sum', '1']]));
        const processed = processMessage(speechOf(conversation), requestWith(source), true).then(
          async ({ message }) => textOf(message.body),
          (error: unknown) => error,
        );
        const outcome = processed.catch((error: unknown) => error);
        await settled();
        clock.advance(60_000);
        // A streamed body that the processor does not end waits for it; then the client's patience decides.
        conversation.cancel();
        const result = await outcome;
        expect(typeof result === 'string' || result instanceof ProxyError).toBe(true);
      }),
      { numRuns: 300 },
    ));
});

function streamed(body: Uint8Array, endOfStream: boolean): Answer {
  const bodyMutation = { mutation: { case: 'streamedResponse' as const, value: { body, endOfStream } } };
  return { response: { case: 'requestBody', value: { response: { bodyMutation } } } };
}

/** Everything that can happen without anybody from outside has happened. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
