import { describe, expect, test } from 'vitest';
import { asObjects, type Json } from '../../../../backends/json.ts';
import { textEvent } from '../../../../backends/ai/streams/stream-event.ts';
import { completionsToConverse } from '../../../../backends/ai/translate/completions-to-converse.ts';
import { completionsToGenerateContent } from '../../../../backends/ai/translate/completions-to-generate-content.ts';
import { completionsToMessages } from '../../../../backends/ai/translate/completions-to-messages.ts';
import { messagesToCompletions } from '../../../../backends/ai/translate/messages-to-completions.ts';
import { messagesToConverse } from '../../../../backends/ai/translate/messages-to-converse.ts';
import { messagesToResponses } from '../../../../backends/ai/translate/messages-to-responses.ts';
import { responsesToCompletions } from '../../../../backends/ai/translate/responses-to-completions.ts';
import { UnsupportedByFormat, type Translation } from '../../../../backends/ai/translate/translation.ts';

// docs/decisions/ai-formats.md: what a user gives a model arrives, or the request is refused with the reason.

const PDF = 'data:application/pdf;base64,JVBERi0=';
const NOTES = 'data:text/plain;charset=utf-8;base64,aGVsbG8=';
const file = (file_data: string): Json => ({ type: 'file', file: { file_data, filename: 'a.pdf' } });
const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
const kept = { type: 'file', file: { file_id: 'file-1' } };
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const document = (source: Json): Json => ({ type: 'document', title: 'a.pdf', source });
const base64 = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
const found = { type: 'search_result', title: 'T', source: 'S', content: [{ type: 'text', text: 'C' }] };

const GIVEN: readonly (readonly [string, Translation, Json, Json | undefined])[] = [
  ['a PDF', completionsToMessages, file(PDF), document(base64)],
  ['a text', completionsToMessages, file(NOTES), document({ type: 'text', media_type: 'text/plain', data: 'hello' })],
  ['another file', completionsToMessages, file('data:application/zip;base64,AAAA'), undefined],
  ['a file that is kept', completionsToMessages, kept, undefined],
  ['audio', completionsToMessages, audio, undefined],
  ['a picture in a store', completionsToMessages, { type: 'image_url', image_url: { url: 'gs://a/b.png' } }, undefined],
  ['something new', completionsToMessages, { type: 'hologram' }, undefined],
  [
    'a PDF',
    completionsToConverse,
    file(PDF),
    { document: { format: 'pdf', name: 'a-pdf', source: { bytes: 'JVBERi0=' } } },
  ],
  ['a file that is kept', completionsToConverse, kept, undefined],
  ['audio', completionsToConverse, audio, undefined],
  ['something new', completionsToConverse, { type: 'hologram' }, undefined],
  ['a PDF', completionsToGenerateContent, file(PDF), { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }],
  ['a file that is kept', completionsToGenerateContent, kept, undefined],
  ['a PDF', messagesToCompletions, document(base64), { type: 'file', file: { filename: 'a.pdf', file_data: PDF } }],
  [
    'a text',
    messagesToCompletions,
    document({ type: 'text', media_type: 'text/plain', data: 'hello' }),
    { type: 'text', text: 'a.pdf\nhello' },
  ],
  [
    'a document of blocks',
    messagesToCompletions,
    document({ type: 'content', content: [{ type: 'text', text: 'hello' }] }),
    { type: 'text', text: 'hello' },
  ],
  ['a result of a search', messagesToCompletions, found, { type: 'text', text: 'T\nS\nC' }],
  ['a document in the web', messagesToCompletions, document({ type: 'url', url: 'http://a/' }), undefined],
  [
    'a picture that is kept',
    messagesToCompletions,
    { type: 'image', source: { type: 'file', file_id: 'f' } },
    undefined,
  ],
  ['a PDF', messagesToResponses, document(base64), { type: 'input_file', filename: 'a.pdf', file_data: PDF }],
  ['a result of a search', messagesToResponses, found, { type: 'input_text', text: 'T\nS\nC' }],
  ['a result of a search', messagesToConverse, found, { text: 'T\nS\nC' }],
  [
    'a file',
    responsesToCompletions,
    { type: 'input_file', filename: 'a.pdf', file_data: PDF },
    { type: 'file', file: { filename: 'a.pdf', file_data: PDF } },
  ],
  ['audio', responsesToCompletions, audio, audio],
  ['a file that is kept', responsesToCompletions, { type: 'input_file', file_id: 'f' }, undefined],
  ['a file in the web', responsesToCompletions, { type: 'input_file', file_url: 'http://a/' }, undefined],
  ['a picture that is kept', responsesToCompletions, { type: 'input_image', file_id: 'f' }, undefined],
];

/** What goes to the provider, as its text. */
function sentBy({ from, request }: Translation, message: Json): string {
  const list = from === 'responses' ? { input: [message] } : { messages: [message] };
  return JSON.stringify(request({ model: 'm', max_tokens: 10, ...list }));
}

test.each(GIVEN)('%s of a user', (_, translation, part, arrives) => {
  const message = { role: 'user', content: [part] };
  if (arrives === undefined) expect(() => sentBy(translation, message)).toThrow(UnsupportedByFormat);
  else expect(sentBy(translation, message)).toContain(JSON.stringify(arrives));
});

const outputOf = (call_id: string): Json => ({
  type: 'function_call_output',
  call_id,
  output: [
    { type: 'input_text', text: call_id },
    { type: 'input_image', image_url: 'http://p/' },
  ],
});

describe('the result of a tool', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
  const made = [
    { role: 'user', content: 'draw' },
    { role: 'assistant', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'here' }, picture] },
  ];

  test.each([
    ['messages', completionsToMessages, '"type":"base64","media_type":"image/png","data":"AAAA"'],
    ['converse', completionsToConverse, '"image":{"format":"png","source":{"bytes":"AAAA"}}'],
  ])('has its picture in %s', (_, translation, words) => {
    expect(JSON.stringify(translation.request({ model: 'm', messages: made }))).toContain(words);
  });

  test('is refused with a picture where it has only text', () => {
    expect(() => completionsToGenerateContent.request({ messages: made })).toThrow(UnsupportedByFormat);
  });

  test('has its pictures as those of the user, after all results', () => {
    const calls = ['a', 'b'].map((call_id) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' }));
    const input = [...calls, outputOf('a'), outputOf('b'), { role: 'user', content: 'well?' }];
    const messages = asObjects(responsesToCompletions.request({ input })['messages']);
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user', 'user']);
    const shown = { type: 'image_url', image_url: { url: 'http://p/' } };
    expect(messages[3]).toEqual({ role: 'user', content: [shown, shown] });
  });

  test('may hold documents and what a search found', () => {
    const content = [found, document({ type: 'text', data: 'hello' }), document(base64)];
    const messages = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] }];
    expect(messagesToCompletions.request({ model: 'm', messages })['messages']).toEqual([
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'T\nS\nC' },
          { type: 'text', text: 'a.pdf\nhello' },
        ],
      },
      { role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: PDF } }] },
    ]);
  });
});

test.each([completionsToMessages, completionsToConverse, completionsToGenerateContent])(
  'an answer whose audio is elsewhere, or whose call has no id, is refused ($to)',
  ({ request }) => {
    const ask = (assistant: Json): Json =>
      request({
        model: 'm',
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'yes', ...assistant },
        ],
      });
    expect(() => ask({ audio: { id: 'audio_1' } })).toThrow(UnsupportedByFormat);
    expect(() => ask({ function_call: { name: 'f', arguments: '{}' } })).toThrow(UnsupportedByFormat);
    expect(ask({ audio: null, function_call: null })).toBeDefined();
  },
);

const besideItem = (type: string): unknown =>
  responsesToCompletions.request({ input: [{ type }, { role: 'user', content: 'hi' }] })['messages'];

test('an item that no other format has is refused, unless it is not missed', () => {
  expect(() => besideItem('computer_call_output')).toThrow(UnsupportedByFormat);
  expect(besideItem('web_search_call')).toHaveLength(1);
});

describe('a reply whose content is a list', () => {
  const stamp = { created: 1, id: () => 'id' };
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
    { type: 'text', text: 'Good ' },
    { type: 'text', text: 'day' },
  ];

  test.each([messagesToCompletions, responsesToCompletions])('is read as a whole ($from)', ({ reply }) => {
    const told = JSON.stringify(reply({ choices: [{ message: { content }, finish_reason: 'stop' }] }, stamp));
    expect(told).toContain('"text":"Good day"');
  });

  test.each([messagesToCompletions, responsesToCompletions])('is read in a stream ($from)', ({ stream }) => {
    const chunk = { id: 'c', model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] };
    const translator = stream(stamp);
    const events = [...translator.event(textEvent(JSON.stringify(chunk))), ...translator.end()];
    expect(events.map(({ data }) => data).join('')).toContain('Good day');
  });
});
