import { EventStreamCodec } from '@smithy/eventstream-codec';
import { describe, expect, test } from 'vitest';
import { provider } from './support.ts';

const CODEC = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);
const CLAIM = `AWS4-HMAC-SHA256 Credential=A/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
const ASKED = { messages: [{ role: 'user', content: [{ text: 'hi' }] }] };

async function ask(port: number, body: object, verb = 'converse', headers: object = { authorization: CLAIM }) {
  return fetch(`http://127.0.0.1:${port}/model/a.b%3A0/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

describe('Converse', () => {
  test('is a stream that the codec of the cloud reads, exception included', async () => {
    const mock = await provider({
      format: 'Converse',
      reply: {
        stream: [
          { reasoning: 'hm' },
          { delta: 'yes' },
          { toolCall: { id: 'c1', name: 'f', arguments: '{}' } },
          { finish: 'tools' },
          { error: { type: 'throttlingException', message: 'slow' } },
        ],
      },
    });
    const answer = await ask(mock.port, ASKED, 'converse-stream');
    expect(answer.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
    const messages = messagesIn(Buffer.from(await answer.arrayBuffer()));
    expect(messages.map(({ headers }) => (headers[':event-type'] ?? headers[':exception-type'])?.value)).toEqual([
      'messageStart',
      'contentBlockDelta',
      'contentBlockStop',
      'contentBlockDelta',
      'contentBlockStop',
      'contentBlockStart',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'throttlingException',
    ]);
    expect(Buffer.from(messages.at(-1)?.body ?? '').toString()).toBe('{"message":"slow"}');
  });

  test.each([
    ['no signature', ASKED, {}, 403],
    ['a model in the body', { ...ASKED, model: 'm' }, undefined, 400],
    ['two turns of the user', { messages: [...ASKED.messages, ...ASKED.messages] }, undefined, 400],
    ['blank text', { messages: [{ role: 'user', content: [{ text: ' ' }] }] }, undefined, 400],
    ['a tool of a name it does not take', tool('a.b'), undefined, 400],
    [
      'the choice of a tool that is not there',
      { ...tool('f'), toolConfig: { ...tool('f').toolConfig, toolChoice: { tool: { name: 'g' } } } },
      undefined,
      400,
    ],
    [
      'five cache points',
      { ...ASKED, system: Array.from({ length: 5 }, () => ({ cachePoint: { type: 'default' } })) },
      undefined,
      400,
    ],
  ])('refuses %s', async (_, body, headers, status) => {
    const signed = headers && { accessKey: 'a', secretKey: 'b' };
    const mock = await provider({ format: 'Converse', ...(signed && { signed }) });
    const answer = await ask(mock.port, body, 'converse', headers);
    expect(answer.status).toBe(status);
    const error: unknown = await answer.json();
    expect(error).toHaveProperty('message');
  });
});

function tool(name: string) {
  return { ...ASKED, toolConfig: { tools: [{ toolSpec: { name, inputSchema: { json: { type: 'object' } } } }] } };
}

function messagesIn(bytes: Buffer): readonly ReturnType<EventStreamCodec['decode']>[] {
  if (bytes.length === 0) return [];
  const length = bytes.readUInt32BE(0);
  return [CODEC.decode(bytes.subarray(0, length)), ...messagesIn(bytes.subarray(length))];
}
