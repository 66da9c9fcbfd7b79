import { describe, expect, test } from 'vitest';
import { editEventTexts } from '../../../../backends/ai/guards/event-texts.ts';
import { regex } from '../../../../backends/ai/guards/regex.ts';
import { guardReply, guardRequest } from '../../../../backends/ai/guards/run-guards.ts';
import { FORMATS } from '../../../../backends/ai/formats/registry.ts';
import { context } from './support.ts';

/*
 * The documents do not say which members are content. docs/decisions/prompt-guard.md
 */

type Spoken = 'completions' | 'messages' | 'responses';

const rejecting = { ...regex({ matches: ['forbidden'], action: 'Reject' }, 'request'), response: undefined };
const masking = { ...regex({ matches: ['forbidden'], builtins: ['Ssn'] }, 'response'), response: undefined };

const SAID = 'this is forbidden';

function user(part: object): object {
  return { messages: [{ role: 'user', content: [part] }] };
}

const REQUESTS: readonly (readonly [Spoken, string, object])[] = [
  ['completions', 'a message', { messages: [{ role: 'user', content: SAID }] }],
  ['completions', 'a result of a tool', { messages: [{ role: 'tool', tool_call_id: 'c', content: SAID }] }],
  ['completions', 'a part of any type', user({ type: 'of_tomorrow', text: SAID })],
  ['completions', 'an unknown shape', user({ type: 'of_tomorrow', deep: [{ down: { here: SAID } }] })],
  ['completions', 'a refusal', { messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: SAID }] }] }],
  ['completions', 'a prediction', { messages: [], prediction: { type: 'content', content: SAID } }],
  [
    'completions',
    'arguments, spelled with escapes',
    {
      messages: [
        { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: '{"a":"\\u0066orbidden"}' } }] },
      ],
    },
  ],
  [
    'completions',
    'a tool',
    { messages: [], tools: [{ type: 'function', function: { name: 'f', description: SAID } }] },
  ],
  [
    'completions',
    'a schema',
    { messages: [], tools: [{ function: { name: 'f', parameters: { properties: { a: { description: SAID } } } } }] },
  ],
  ['completions', 'an identifier that is none', { messages: [{ role: 'user', id: SAID, content: '' }] }],
  ['completions', 'a member in capitals', { Messages: [{ role: 'user', content: SAID }], messages: [] }],
  ['messages', 'the system', { system: [{ type: 'text', text: SAID }], messages: [] }],
  [
    'messages',
    'a result of a tool',
    user({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: SAID }] }),
  ],
  [
    'messages',
    'a document of text',
    user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'forbidden' } }),
  ],
  ['messages', 'a result of a search', user({ type: 'search_result', source: 's', title: SAID, content: [] })],
  ['messages', 'thinking', { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: SAID }] }] }],
  [
    'messages',
    'the input of a tool',
    { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: { a: [SAID] } }] }] },
  ],
  [
    'messages',
    'how a summary is to be made, in one word',
    { messages: [], context_management: { edits: [{ type: 'compact_20260112', instructions: 'forbidden' }] } },
  ],
  ['messages', 'a tool', { messages: [], tools: [{ name: 'f', description: SAID, input_schema: {} }] }],
  ['responses', 'instructions', { instructions: SAID, input: [] }],
  [
    'responses',
    'variables of a prompt',
    { prompt: { id: 'p', variables: { a: SAID, b: { type: 'input_text', text: 'x' } } } },
  ],
  ['responses', 'an output', { input: [{ type: 'function_call_output', call_id: 'c', output: SAID }] }],
  ['responses', 'reasoning', { input: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: SAID }] }] }],
  ['responses', 'arguments', { input: [{ type: 'function_call', call_id: 'c', arguments: '{"a":"forbidden"}' }] }],
];

describe('all that a model reads is judged', () => {
  test.each(REQUESTS)('in %s %s', async (format, _, request) => {
    const asked = { ...context(), llmRequest: { model: 'm', ...request } };
    expect(await guardRequest([rejecting], FORMATS[format], asked)).toMatchObject({ answer: { status: 403 } });
  });

  test('and names, identifiers and encoded bytes are not', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,forbidden' } };
    const llmRequest = { model: 'forbidden', messages: [{ role: 'user', content: [image] }], user: 'forbidden' };
    const guarded = await guardRequest([rejecting], FORMATS.completions, { ...context(), llmRequest });
    expect(guarded).toEqual({ json: llmRequest });
  });

  test.each([
    ['without anything between', ['it is forb', 'idden']],
    ['between blanks', ['it is', 'forbidden', 'here']],
    ['in three pieces', ['a forb', 'id', 'den']],
  ])('a text that is split over parts is one: %s', async (_, pieces) => {
    const content = pieces.map((text) => ({ type: 'text', text }));
    const asked = { ...context(), llmRequest: { model: 'm', messages: [{ role: 'user', content }] } };
    expect(await guardRequest([rejecting], FORMATS.completions, asked)).toMatchObject({ answer: { status: 403 } });
  });

  test('a mask reaches over parts and leaves the rest', async () => {
    const content = [
      { type: 'text', text: 'mine is 123-45' },
      { type: 'text', text: '-6789 and that' },
    ];
    const asked = { ...context(), llmRequest: { model: 'm', messages: [{ role: 'user', content }] } };
    expect(await guardRequest([masking], FORMATS.completions, asked)).toMatchObject({
      json: { messages: [{ content: [{ type: 'text', text: 'mine is <SSN> and that' }] }] },
    });
  });
});

const choice = (message: object, more: object = {}): object => ({ choices: [{ index: 0, message, ...more }] });

const REPLIES: readonly (readonly [Spoken, string, object])[] = [
  ['completions', 'refusal', choice({ refusal: SAID })],
  ['completions', 'reasoning', choice({ content: 'x', reasoning_content: SAID })],
  ['completions', 'a transcript', choice({ audio: { id: 'a', data: 'AAAA', transcript: SAID } })],
  ['completions', 'arguments', choice({ tool_calls: [{ function: { name: 'f', arguments: '{"a":"forbidden"}' } }] })],
  ['completions', 'an annotation', choice({ annotations: [{ type: 'url_citation', url_citation: { title: SAID } }] })],
  [
    'completions',
    'tokens',
    choice({ content: 'x' }, { logprobs: { content: [{ token: ' forb' }, { token: 'idden' }] } }),
  ],
  ['messages', 'thinking', { content: [{ type: 'thinking', thinking: SAID, signature: 's' }] }],
  ['messages', 'the input of a tool', { content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: SAID } }] }],
  ['messages', 'a citation', { content: [{ type: 'text', text: 'x', citations: [{ cited_text: SAID }] }] }],
  ['responses', 'reasoning', { output: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: SAID }] }] }],
  ['responses', 'a refusal', { output: [{ type: 'message', content: [{ type: 'refusal', refusal: SAID }] }] }],
  [
    'responses',
    'code',
    { output: [{ type: 'code_interpreter_call', code: SAID, outputs: [{ type: 'logs', logs: SAID }] }] },
  ],
];

describe('all that a client gets is judged', () => {
  test.each(REPLIES)('in %s %s', async (format, _, reply) => {
    const asked = { ...context(), llmRequest: {} };
    const guarded = await guardReply([masking], FORMATS[format], { id: 'r', ...reply }, asked);
    expect(guarded).toHaveProperty('json');
    expect(JSON.stringify(guarded)).not.toContain('idden');
  });

  test.each([
    ['completions', { choices: [{ index: 1, delta: { reasoning_content: SAID } }] }],
    ['completions', { choices: [{ index: 1, delta: { tool_calls: [{ index: 0, function: { arguments: SAID } }] } }] }],
    ['messages', { type: 'content_block_delta', index: 2, delta: { type: 'thinking_delta', thinking: SAID } }],
    ['messages', { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: SAID } }],
    ['responses', { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: SAID }],
    ['responses', { type: 'response.output_audio_transcript.delta', output_index: 0, delta: SAID }],
    ['responses', { type: 'response.function_call_arguments.delta', output_index: 0, delta: SAID }],
  ] as const)('in an event of %s: %j', (format, event) => {
    expect(JSON.stringify(editEventTexts(FORMATS[format], event, () => 'x'))).not.toContain('forbidden');
  });

  test('sounds pass', () => {
    const event = { type: 'response.output_audio.delta', output_index: 0, delta: 'AAAA' };
    expect(editEventTexts(FORMATS.responses, event, () => 'x')).toBe(event);
  });

  test('what a part says once more belongs to the channel of its pieces', () => {
    const channels: string[] = [];
    const note = (text: string, channel: string, repeats: boolean): string => {
      channels.push(`${channel} ${repeats}`);
      return text;
    };
    const at = { output_index: 1, content_index: 2 };
    const part = { type: 'output_text', text: 'a' };
    for (const event of [
      { type: 'response.output_text.delta', ...at, delta: 'a' },
      { type: 'response.output_text.done', ...at, text: 'a' },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index: 1, item: { type: 'message', content: [{}, {}, part] } },
      { type: 'response.completed', response: { output: [{}, { type: 'message', content: [{}, {}, part] }] } },
    ]) {
      editEventTexts(FORMATS.responses, event, note);
    }
    expect(channels).toEqual(['1/2/output_text false', ...Array.from({ length: 4 }, () => '1/2/output_text true')]);
  });
});

function withInput(input: unknown): object {
  return { model: 'm', messages: [{ role: 'assistant', content: [{ type: 'tool_use', input }] }] };
}

async function judge(request: object): Promise<unknown> {
  return guardRequest([masking], FORMATS.messages, { ...context(), llmRequest: { ...request } });
}

describe('a body that is made to be hard to judge', () => {
  test('fails when it is nested too deeply', async () => {
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    await expect(judge(withInput(deep))).rejects.toMatchObject({ code: 'promptGuardFailed' });
  });

  test('is masked member by member', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`a${index}`, '123-45-6789']));
    expect(JSON.stringify(await judge(withInput(many)))).not.toContain('6789');
  }, 60_000);

  test('fails when it has more texts than there is work for', async () => {
    const many = Array.from({ length: 200_000 }, () => 'a');
    await expect(judge(withInput(many))).rejects.toMatchObject({ code: 'promptGuardFailed' });
  }, 60_000);
});
