import { describe, expect, test } from 'vitest';
import { GuardFailure, PASS, REJECT, type Verdict } from '../../../../backends/ai/guards/guard.ts';
import { guardReply, guardRequest } from '../../../../backends/ai/guards/run-guards.ts';
import { FORMATS } from '../../../../backends/ai/formats/registry.ts';
import { Cancellation } from '../../../../base/cancellation.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';
import { context, scripted } from './support.ts';

const request = { model: 'm', messages: [{ role: 'user', content: 'one' }] };
const reply = { choices: [{ message: { role: 'assistant', content: 'said' } }] };
const asking = { ...context(), llmRequest: request };

function writes(text: string): (question: { texts: readonly { role: string }[] }) => Verdict {
  return ({ texts }) => ({ kind: 'mask', texts: texts.map(({ role }) => ({ role, text })) });
}

function fails(error: Error = new GuardFailure('down')): () => Verdict {
  return () => {
    throw error;
  };
}

describe('guards of prompts', () => {
  test('run in their order, each on what the one before left, up to eight', async () => {
    const guards = Array.from({ length: 8 }, (_, index) => scripted(writes(`after ${index + 1}`)));
    const guarded = await guardRequest(guards, FORMATS.completions, asking);
    expect(guards.map(({ asked }) => asked)).toEqual([
      [['one']],
      ...Array.from({ length: 7 }, (_, index) => [[`after ${index + 1}`]]),
    ]);
    expect(guarded).toEqual({ json: { model: 'm', messages: [{ role: 'user', content: 'after 8' }] } });
  });

  test('stop at the first rejection', async () => {
    const last = scripted(() => PASS);
    const guarded = await guardRequest(
      [scripted(() => PASS), scripted(() => REJECT), last],
      FORMATS.completions,
      asking,
    );
    expect(guarded).toMatchObject({ answer: { status: 403, from: 'policy' } });
    expect(last.asked).toEqual([]);
  });

  test('fail the request when one cannot judge, unless it may be left out', async () => {
    await expect(guardRequest([scripted(fails())], FORMATS.completions, asking)).rejects.toMatchObject({
      code: 'promptGuardFailed',
      message: 'failed to process LLM request: prompt guard failed',
    });
    const streams = scripted(fails(), { failOpen: 'streams' });
    await expect(guardRequest([streams], FORMATS.completions, asking)).rejects.toBeInstanceOf(ProxyError);
    const open = scripted(fails(new ProxyError('upstreamCallFailed')), { failOpen: 'always' });
    expect(await guardRequest([open, scripted(writes('x'))], FORMATS.completions, asking)).toMatchObject({
      json: { messages: [{ content: 'x' }] },
    });
  });

  test('end with the request when it is given up, whatever failureMode says', async () => {
    const cancellation = new Cancellation();
    const gone = new ProxyError('clientGone');
    cancellation.cancel(gone);
    const given = { ...context(cancellation), llmRequest: request };
    const open = scripted(fails(), { failOpen: 'always' });
    await expect(guardRequest([open], FORMATS.completions, given)).rejects.toBe(gone);
  });

  test('do not hide a mistake of the program', async () => {
    const open = scripted(fails(new TypeError('oops')), { failOpen: 'always' });
    await expect(guardRequest([open], FORMATS.completions, asking)).rejects.toBeInstanceOf(TypeError);
  });

  test('are not asked about formats that are no conversation, nor about nothing', async () => {
    const guard = scripted(() => REJECT);
    expect(await guardRequest([guard], FORMATS.embeddings, asking)).toEqual({ json: request });
    const silent = { ...context(), llmRequest: { model: 'm', messages: [{ role: 'tool', content: '' }] } };
    expect(await guardRequest([guard], FORMATS.completions, silent)).toEqual({ json: silent.llmRequest });
    expect(guard.asked).toEqual([]);
  });
});

describe('guards of replies', () => {
  test('mask, reject and fail with the words for replies', async () => {
    expect(await guardReply([scripted(writes('x'))], FORMATS.completions, reply, asking)).toEqual({
      json: { choices: [{ message: { role: 'assistant', content: 'x' } }] },
    });
    const rejected = await guardReply([scripted(() => REJECT)], FORMATS.completions, reply, asking);
    const body = 'answer' in rejected ? await rejected.answer.body?.read() : undefined;
    expect(Buffer.from(body ?? []).toString()).toBe('The response was rejected due to inappropriate content');
    await expect(guardReply([scripted(fails())], FORMATS.completions, reply, asking)).rejects.toMatchObject({
      code: 'replyGuardFailed',
    });
  });
});
