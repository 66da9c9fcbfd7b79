import { describe, expect, test } from 'vitest';
import { createGates } from '../../../gates.ts';
import type { Mock } from '../../../mock.ts';
import { viewsOf } from '../../support/start.ts';
import { post, provider } from './support.ts';

const USER = { role: 'user', content: 'hi' };
const STREAMED = { model: 'm', messages: [USER], stream: true };
const COUNTED = { ...STREAMED, stream_options: { include_usage: true } };
const USAGE = { input: 4, output: 6 };

function chat(mock: Mock, body: object = STREAMED): Promise<Response> {
  return post(mock, '/v1/chat/completions', body);
}

/** Data of the events, JSON parsed. */
async function dataOf(answer: Response): Promise<readonly unknown[]> {
  const blocks = (await answer.text()).split('\n\n').filter((block) => block.includes('data: '));
  return blocks.map((block) => {
    const text = block.slice(block.indexOf('data: ') + 6);
    return text.startsWith('{') ? (JSON.parse(text) as unknown) : text;
  });
}

describe('a stream of Completions', () => {
  test('is this, byte for byte', async () => {
    const mock = await provider({ reply: { stream: [{ delta: 'é"' }, { finish: 'length' }] } });
    const answer = await chat(mock);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const head =
      'data: {"id":"chatcmpl-mock","object":"chat.completion.chunk","created":1750000000,"model":"m","service_tier":"default","system_fingerprint":"fp_mock",';
    expect(await answer.text()).toBe(
      `${head}"choices":[{"index":0,"delta":{"role":"assistant","content":"é\\""},"logprobs":null,"finish_reason":null}]}\n\n` +
        `${head}"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}]}\n\n` +
        'data: [DONE]\n\n',
    );
  });

  test('counts tokens only for who asks', async () => {
    const mock = await provider({ reply: { text: 'a', usage: USAGE } });
    const silent = JSON.stringify(await dataOf(await chat(mock)));
    expect(silent).not.toContain('usage');
    const counted = await dataOf(await chat(mock, COUNTED));
    expect(counted.at(-2)).toMatchObject({ choices: [], usage: { prompt_tokens: 4, completion_tokens: 6 } });
    expect(counted.slice(0, -2).every((chunk) => JSON.stringify(chunk).endsWith('"usage":null}'))).toBe(true);
  });

  test('waits at a gate with everything before it sent', async () => {
    const gates = createGates();
    const mock = await provider(
      { reply: { stream: [{ delta: 'a' }, { gate: 'g', giveUp: '5s' }, { delta: 'b' }] } },
      gates,
    );
    const answer = await chat(mock);
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('"content":"a"');
    expect(mock.ledger.active).toBe(1);
    gates.open('g');
    let rest = '';
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      rest += Buffer.from(part.value).toString();
    }
    expect(rest).toContain('"content":"b"');
    expect(rest.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('is a document for whoever asks for one, and that waits, fails and breaks off as the stream does', async () => {
    const gates = createGates();
    const mock = await provider(
      {
        replies: [
          { stream: [{ delta: 'a' }, { gate: 'g', giveUp: '5s' }, { delta: 'b' }] },
          { stream: [{ delta: 'a' }, { error: { message: 'gone', code: 'x' } }] },
          { stream: [{ delta: 'a' }, { disconnect: true }] },
          { stream: [{ delta: 'a' }, { end: true }] },
          { stream: [{ delta: 'a' }, { done: true }, { disconnect: true }] },
        ],
      },
      gates,
    );
    const asked = { model: 'm', messages: [USER] };
    const late = (await chat(mock, asked)).text();
    const soon = new Promise((resolve) => {
      setTimeout(resolve, 20, 'nothing yet');
    });
    expect(await Promise.race([late, soon])).toBe('nothing yet');
    gates.open('g');
    expect(JSON.parse(await late)).toMatchObject({ choices: [{ message: { content: 'ab' } }] });
    expect((await chat(mock, asked)).status).toBe(500);
    await expect(chat(mock, asked).then((answer) => answer.text())).rejects.toThrow(/terminated|fetch failed/);
    await expect(chat(mock, asked).then((answer) => answer.text())).rejects.toThrow(/terminated|fetch failed/);
    expect(await (await chat(mock, asked)).json()).toMatchObject({ choices: [{ message: { content: 'a' } }] });
  });

  test('can be cut anywhere and stays the same', async () => {
    const reply = { stream: [{ delta: 'añb' }, { toolCall: { name: 'f', arguments: '{}' } }] };
    const whole = await (await chat(await provider({ reply }))).text();
    const cut = await (await chat(await provider({ reply: { ...reply, slice: 3 } }))).text();
    expect(cut).toBe(whole);
  });

  test('ends with an error, without terminator, or by a reset', async () => {
    const mock = await provider({
      replies: [
        { stream: [{ delta: 'a' }, { error: { message: 'gone', code: 'x' } }] },
        { stream: [{ delta: 'a' }, { end: true }] },
        { stream: [{ delta: 'a' }, { disconnect: true }] },
      ],
    });
    const failed = await dataOf(await chat(mock));
    expect(failed.at(-1)).toEqual({ error: { message: 'gone', type: 'server_error', param: null, code: 'x' } });
    expect(await dataOf(await chat(mock))).toHaveLength(1);
    await expect(chat(mock).then((answer) => answer.text())).rejects.toThrow(/terminated|fetch failed/);
  });

  test('has raw events, bytes and comments of the script', async () => {
    const stream = [{ ping: true }, { event: 'odd', data: { a: 1 } }, { raw: 'data: x\r\r' }, { end: true }];
    const answer = await chat(await provider({ reply: { stream } }));
    expect(await answer.text()).toBe(': keep-alive\n\nevent: odd\ndata: {"a":1}\n\ndata: x\r\r');
  });
});

describe('streams of other formats', () => {
  test('Messages: events in order, tokens of the input first', async () => {
    const reply = { text: 'a', toolCalls: [{ id: 't', name: 'f', arguments: {} }], usage: { ...USAGE, cached: 2 } };
    const body = { model: 'm', max_tokens: 5, messages: [USER], stream: true };
    const data = await dataOf(await post(await provider({ reply }), '/v1/messages', body));
    expect(data).toMatchObject([
      {
        type: 'message_start',
        message: { content: [], usage: { input_tokens: 4, cache_read_input_tokens: 2, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'f', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '}' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 6 } },
      { type: 'message_stop' },
    ]);
  });

  test('Responses: events in order and numbered, the whole response last', async () => {
    const reply = { text: 'a', toolCalls: [{ id: 't', name: 'f', arguments: '{}' }], usage: USAGE, finish: 'length' };
    const data = await dataOf(
      await post(await provider({ reply }), '/v1/responses', { model: 'm', input: 'x', stream: true }),
    );
    const types = data.map((one) => (typeof one === 'object' && one !== null && 'type' in one ? one.type : one));
    expect(types).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.incomplete',
    ]);
    expect(data).toMatchObject(data.map((_, index) => ({ sequence_number: index })));
    expect(data.at(-1)).toMatchObject({
      response: { status: 'incomplete', usage: { total_tokens: 10 }, output: [{ type: 'message' }, { call_id: 't' }] },
    });
  });
});

describe('a reply', () => {
  test('that was written as a stream is gathered for who asks for a document', async () => {
    const stream = [
      { delta: 'a' },
      { toolCall: { name: 'f', arguments: '{' } },
      { toolCall: { arguments: '}' } },
      { usage: USAGE },
    ];
    const json: unknown = await (
      await chat(await provider({ reply: { stream } }), { ...STREAMED, stream: false })
    ).json();
    expect(json).toMatchObject({
      choices: [
        {
          message: { content: 'a', tool_calls: [{ id: 'call_1', function: { arguments: '{}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { total_tokens: 10 },
    });
  });

  test('is chosen by format, model and text; a refused request uses up none', async () => {
    const mock = await provider({
      on: [
        { match: { model: 'big' }, reply: { text: 'B' } },
        { match: { text: 'weather' }, reply: { text: 'W' } },
      ],
      replies: [{ text: 'first' }, { status: 503 }],
    });
    const says = async (body: object): Promise<unknown> => {
      const json: unknown = await (await chat(mock, { model: 'm', messages: [USER], ...body })).json();
      return json;
    };
    expect(await says({ model: 'big' })).toMatchObject({ choices: [{ message: { content: 'B' } }] });
    expect(await says({ messages: [{ role: 'user', content: 'the weather' }] })).toMatchObject({
      choices: [{ message: { content: 'W' } }],
    });
    expect(await says({ nonsense: 1 })).toMatchObject({ error: { code: 'unknown_parameter' } });
    expect(await says({})).toMatchObject({ choices: [{ message: { content: 'first' } }] });
    expect(await says({})).toMatchObject({ error: { type: 'server_error' } });
  });

  test('that forbids a request is a failed check', async () => {
    const mock = await provider({ reply: { fail: 'no call may come' } });
    expect((await chat(mock)).status).toBe(500);
    expect(mock.ledger.fails).toEqual(['peer up received POST /v1/chat/completions: no call may come']);
    expect(viewsOf(mock, 'path', 'json')).toEqual([{ path: '/v1/chat/completions', json: STREAMED }]);
  });
});
