import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { llmFormats } from '../../../upstreams/llm/formats/registry.ts';
import { receive } from '../../../upstreams/llm/receive.ts';
import { FORMATS } from '../../../upstreams/llm/script.ts';
import { post, provider } from './support.ts';

const MEMBERS = ['model', 'messages', 'input', 'max_tokens', 'tools', 'tool_choice', 'stream', 'system', 'thinking'];
const PARTS = ['type', 'role', 'content', 'text', 'tool_calls', 'tool_use_id', 'call_id', 'id', 'name', 'function'];
const WORDS = ['user', 'assistant', 'tool', 'text', 'tool_use', 'tool_result', 'function', 'function_call', 'enabled'];

/** JSON that looks like a request: the members of the formats, with values of any kind. */
const value = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, fc.jsonValue(), fc.constantFrom(...WORDS), tie('object'), fc.array(tie('any'))),
  object: fc.dictionary(fc.constantFrom(...PARTS), tie('any'), { maxKeys: 5 }),
}));
const request = fc.dictionary(fc.constantFrom(...MEMBERS), value.any, { maxKeys: 6 });

describe('any request', () => {
  test('is taken or refused with a status and a document of the format', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...FORMATS),
        fc.oneof(
          request.map((one) => JSON.stringify(one)),
          fc.string(),
        ),
        async (name, body) => {
          const format = llmFormats[name];
          const call = await receive(
            {
              method: 'POST',
              target: format.path,
              headers: [['content-type', 'application/json']],
              body: Buffer.from(body),
            },
            [format],
            { kind: 'llm' },
          );
          const { problem } = call;
          expect(problem === undefined || (problem.status >= 400 && problem.status < 500)).toBe(true);
          expect(problem === undefined || JSON.stringify(format.error(problem)).includes('"message"')).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a peer that fails', () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };

  test.each([{ fault: 'refuse' }, { fault: 'reset' }, { reply: { fault: 'reset' } }, { fault: { 'reset-after': 40 } }])(
    'as %j says',
    async (script) => {
      const mock = await provider(script);
      await expect(post(mock, '/v1/chat/completions', body).then((answer) => answer.text())).rejects.toThrow();
    },
  );

  test('holds a document back at a gate', async () => {
    const mock = await provider({ reply: { text: 'late', gate: 'g', giveUp: '1ms' } });
    const answer = await post(mock, '/v1/chat/completions', body);
    expect(await answer.text()).toContain('late');
  });
});
