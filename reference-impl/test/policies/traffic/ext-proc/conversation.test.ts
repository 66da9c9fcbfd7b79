import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { ProcessingRequestSchema } from '../../../../upstream/wire/ext_proc_pb.js';
import type { ProcessingRequest } from '../../../../upstream/wire/ext_proc_pb.js';
import { type Answer, conversationWith, lettingPass, PATIENCE } from './support.ts';

const HEADERS: ProcessingRequest = create(ProcessingRequestSchema, { request: { case: 'requestHeaders', value: {} } });
const BODY: ProcessingRequest = create(ProcessingRequestSchema, { request: { case: 'requestBody', value: {} } });

describe('the stream of one request', () => {
  test('opens with the first message', async () => {
    const { conversation, heard } = conversationWith(lettingPass);
    expect(conversation.opened).toBe(false);
    await conversation.send('requestHeaders', HEADERS);
    expect(conversation.opened).toBe(true);
    expect((await conversation.answerTo('requestHeaders')).response.case).toBe('requestHeaders');
    expect(heard).toHaveLength(1);
  });

  test('is silent for too long', async () => {
    const { conversation, clock } = conversationWith(never);
    await conversation.send('requestHeaders', HEADERS);
    const answer = conversation.answerTo('requestHeaders');
    clock.advance(PATIENCE - 1);
    expect(conversation.over).toBeUndefined();
    clock.advance(1);
    await expect(answer).rejects.toThrow(`no answer to requestHeaders within ${PATIENCE} ms`);
    expect(conversation.over?.how).toBe('failed');
  });

  test('is not silent while the other side is still told something', async () => {
    const { conversation, clock } = conversationWith(nothing);
    await conversation.send('requestHeaders', HEADERS);
    const answer = conversation.answerTo('requestHeaders');
    clock.advance(PATIENCE - 1);
    await conversation.send('requestBody', BODY);
    clock.advance(PATIENCE - 1);
    expect(conversation.over).toBeUndefined();
    clock.advance(1);
    await expect(answer).rejects.toThrow('no answer');
  });

  test.for([
    [
      'what was not asked',
      { response: { case: 'responseHeaders', value: {} } },
      'unexpected answer to responseHeaders',
    ],
    ['nothing', {}, 'unexpected answer to nothing'],
  ] satisfies [string, Answer, string][])('fails when %s is answered', async ([, answer, message]) => {
    const { conversation } = conversationWith(() => [answer]);
    await conversation.send('requestHeaders', HEADERS);
    await expect(conversation.answerTo('requestHeaders')).rejects.toThrow(message);
    await expect(conversation.send('requestBody', BODY)).rejects.toThrow(message);
  });

  test('fails when one message is answered twice before anybody asks', async () => {
    const twice: Answer = { response: { case: 'requestHeaders', value: {} } };
    const { conversation } = conversationWith(() => [twice, twice]);
    const over = new Promise<Error>((resolve) => conversation.whenOver(resolve));
    await conversation.send('requestHeaders', HEADERS);
    expect((await over).message).toContain('unexpected answer');
  });

  test('rejects whoever waits when the processor answers the client itself', async () => {
    const { conversation } = conversationWith(() => [
      { response: { case: 'immediateResponse', value: { status: { code: 403 } } } },
    ]);
    await conversation.send('requestHeaders', HEADERS);
    await expect(conversation.answerTo('requestHeaders')).rejects.toThrow('answered itself');
    expect(conversation.immediate?.status?.code).toBe(403);
    expect(conversation.over?.how).toBe('immediate');
  });

  test('keeps an answer that comes before anybody asks, also when the stream then ends', async () => {
    const { conversation } = conversationWith(lettingPass);
    await conversation.send('requestHeaders', HEADERS);
    conversation.finish('request');
    expect(conversation.over).toBeUndefined();
    conversation.finish('response');
    expect(conversation.over?.how).toBe('finished');
    await expect(conversation.answerTo('requestHeaders')).rejects.toThrow('processing is over');
  });

  test('is cut off when the processor does not end it', async () => {
    const { conversation, clock, cut } = conversationWith(never);
    await conversation.send('requestHeaders', HEADERS);
    conversation.close();
    clock.advance(999);
    const early = await Promise.race([cut.then(() => 'cut'), new Promise((resolve) => setImmediate(resolve))]);
    expect(early).not.toBe('cut');
    clock.advance(1);
    await cut;
  });

  test('is cut off at once when nobody is interested any more', async () => {
    const { conversation, cut } = conversationWith(never);
    await conversation.send('requestHeaders', HEADERS);
    conversation.cancel();
    await cut;
    expect(conversation.over?.how).toBe('failed');
  });
});

function nothing(): Iterable<Answer> {
  return [];
}

async function* never(): AsyncGenerator<Answer> {
  yield await new Promise<Answer>(() => {});
}
