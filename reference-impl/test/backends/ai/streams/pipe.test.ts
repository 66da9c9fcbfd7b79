import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test, vi, type Mock } from 'vitest';
import type { Format, FormatName, UpstreamFormatName } from '../../../../backends/ai/formats/format.ts';
import { FORMATS, UPSTREAM_FORMATS } from '../../../../backends/ai/formats/registry.ts';
import { BUILTINS } from '../../../../backends/ai/guards/builtins.ts';
import { REJECT, type Guard } from '../../../../backends/ai/guards/guard.ts';
import type { LlmCall } from '../../../../backends/ai/call/llm-call.ts';
import { streamedAnswer } from '../../../../backends/ai/streams/pipe.ts';
import { serverSentEvents } from '../../../../backends/ai/streams/sse.ts';
import { translationBetween } from '../../../../backends/ai/translate/preference.ts';
import type { Body } from '../../../../base/body.ts';
import { Cancellation } from '../../../../base/cancellation.ts';
import { HeaderMap } from '../../../../base/headers.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';
import { context, scripted } from '../guards/support.ts';
import { aiExchange, streamCall } from '../support/exchange.ts';

type Provider = Body & { readonly cancel: Mock<() => void> };

/** A body of these pieces that then ends, or breaks. */
function bodyOf(pieces: readonly (string | Uint8Array)[], failure?: Error): Provider {
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

interface Passing {
  readonly client?: FormatName;
  readonly upstream?: UpstreamFormatName;
  readonly guards?: readonly Guard[];
  readonly call?: LlmCall;
  readonly cancellation?: Cancellation;
  readonly tellsTokens?: boolean;
  readonly encoding?: string;
}

/** The stream as the client gets it. */
function piped(body: Body, passing: Passing = {}): Body {
  const { client = 'completions', upstream = client, guards = [], call = streamCall() } = passing;
  const { cancellation = new Cancellation(), tellsTokens = true, encoding } = passing;
  const exchange = { ...aiExchange(), cancellation };
  const plain = HeaderMap.of([['content-type', 'text/event-stream']]);
  const headers = encoding === undefined ? plain : plain.set('content-encoding', encoding);
  const answer = streamedAnswer({ status: 200, headers, body, from: 'backend' }, serverSentEvents, {
    exchange,
    call,
    request: {},
    tellsTokens,
    client: FORMATS[client],
    upstream: UPSTREAM_FORMATS[upstream],
    translation: translationBetween(client, upstream),
    guarding: { guards: { request: [], response: guards, streaming: true }, context: context() },
  });
  if (answer.body === undefined) throw new Error('the answer has no body');
  return answer.body;
}

async function chunksOf(body: Body): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) chunks.push(chunk);
  return chunks;
}

async function textOf(body: Body): Promise<string> {
  return Buffer.concat(await chunksOf(body)).toString();
}

function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % bytes.length))].filter((end) => end > 0);
  ends.sort((one, other) => one - other);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const DELTA = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
const USAGE = 'data: {"choices":[],"model":"m-2","usage":{"prompt_tokens":30,"completion_tokens":40}}\n\n';
const FINISH = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const DONE = 'data: [DONE]\n\n';
const broken = new ProxyError('upstreamCallFailed', 'reset');
const masking: Guard = {
  check: () => Promise.reject(new Error('not asked')),
  masks: [BUILTINS.Ssn],
  failOpen: 'never',
  response: undefined,
};
/** A call whose request has an expression that looks at what the model said. */
const listened = (format?: Format): LlmCall => streamCall({ captured: true, format });

describe('a stream that no stage changes', () => {
  const line = fc.constantFrom(
    DELTA,
    USAGE,
    DONE,
    ': ping\n\n',
    'id: 7\nretry: 3\n',
    'event: x\r\ndata: y\r\n\r\n',
    'data: {"choices"\n\n',
    '\r\r',
    '\n',
    '\uFEFF',
    'data: åß∂🙂',
  );
  const bytes = fc.oneof(
    fc.array(line, { minLength: 1, maxLength: 20 }).map((lines) => Buffer.from(lines.join(''))),
    fc.uint8Array({ minLength: 1, maxLength: 200 }),
  );

  test('passes byte for byte and piece by piece, wherever the network cuts it', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.nat(), { maxLength: 20 }), async (all, places) => {
        const pieces = cut(all, places);
        const told = await chunksOf(piped(bodyOf(pieces), { call: listened() }));
        expect(told.map((chunk) => [...chunk])).toEqual(pieces.map((piece) => [...piece]));
      }),
      { numRuns: 300 },
    );
  });

  test('passes byte for byte through guards that find nothing', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.array(fc.nat(), { maxLength: 20 }), async (all, places) => {
        const told = await chunksOf(piped(bodyOf(cut(all, places)), { guards: [masking], call: listened() }));
        expect(Buffer.concat(told).equals(all)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('has its tokens counted', async () => {
    for (const size of [1, 7, 1000]) {
      const call = streamCall();
      const pieces = `: ping\r\n\r\n${DELTA}${USAGE}${DONE}`.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      await textOf(piped(bodyOf(pieces), { call }));
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
    const call = streamCall();
    const told = await textOf(piped(bodyOf(pieces, broken), { call }));
    expect(told.startsWith(`${before}data: {"error":`)).toBe(true);
    expect(told.endsWith('}\n\n')).toBe(true);
    expect(call.complete()).toBe(true);
  });

  test('passes on when it has an event that is too large to be watched', async () => {
    const pieces = [`data: ${'x'.repeat(5 * 1024 * 1024)}\n\n`, DELTA];
    expect(await textOf(piped(bodyOf(pieces)))).toBe(pieces.join(''));
  });
});

describe('a stream whose client did not ask for its tokens', () => {
  const passing = { tellsTokens: false } as const;

  test('has them counted and does not tell them, wherever the network cuts it', async () => {
    const first = 'data: {"choices":[],"prompt_filter_results":[]}\n\n';
    const withNull = 'data: {"choices":[{"index":0,"delta":{"content":"\\"usage\\""}}],"usage":null}\n\n';
    const all = Buffer.from([': ping\r\n\r\n', first, DELTA, withNull, FINISH, USAGE, DONE].join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (places) => {
        const call = streamCall();
        const told = await textOf(piped(bodyOf(cut(all, places)), { ...passing, call }));
        expect(told).toBe(all.toString().replace(USAGE, ''));
        expect(call.totalTokens()).toBe(70);
      }),
      { numRuns: 100 },
    );
  });

  test('keeps what else a chunk says that has them', async () => {
    const both = 'data: {"id":"c","choices":[{"index":0,"delta":{}}],"usage":{"prompt_tokens":3}}\n\n';
    expect(await textOf(piped(bodyOf([both]), passing))).toBe(
      'data: {"id":"c","choices":[{"index":0,"delta":{}}]}\n\n',
    );
  });

  test('has them in a format that always tells them', async () => {
    const start = 'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":3}}}\n\n';
    expect(await textOf(piped(bodyOf([start]), { ...passing, client: 'messages' }))).toBe(start);
  });
});

describe.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)('a stream in %s', (encoding, encode) => {
  test.each([
    ['passes', {}],
    ['hides its tokens', { tellsTokens: false }],
    ['is guarded', { guards: [masking] }],
    ['is translated', { client: 'messages', upstream: 'completions' }],
  ] as const)('is the same wherever the network cuts it: one that %s', async (_, passing) => {
    const all = Buffer.from([': ping\r\n\r\n', DELTA, 'data: åß∂🙂\r\n\r\n', FINISH, USAGE, DONE].join(''));
    const plain = withoutIds(await textOf(piped(bodyOf([all]), passing)));
    const encoded = encode(all);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (places) => {
        const call = streamCall();
        const told = await textOf(piped(bodyOf(cut(encoded, places)), { ...passing, call, encoding }));
        expect(withoutIds(told)).toBe(plain);
        expect(call.totalTokens()).toBe(70);
      }),
      { numRuns: 25 },
    );
  });
});

/** Each translated message has an id of its own. */
function withoutIds(text: string): string {
  return text.replaceAll(/"id":"[^"]*"/g, '"id":""');
}

describe.each([
  ['that passes', {}],
  ['that hides its tokens', { tellsTokens: false }],
  ['that is guarded', { guards: [masking] }],
  ['that is translated', { client: 'messages', upstream: 'completions' }],
] as const)('a stream %s', (_, passing) => {
  test('adds nothing when the request was given up', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel(new ProxyError('clientGone'));
    await expect(piped(bodyOf([], broken), { ...passing, cancellation }).read()).rejects.toBe(broken);
  });

  test('is cut off at the provider when the client wants no more', () => {
    const provider = bodyOf([DELTA]);
    const call = streamCall();
    piped(provider, { ...passing, call }).cancel();
    expect(provider.cancel).toHaveBeenCalledOnce();
    expect(call.complete()).toBe(true);
  });

  test('reads no more than it tells: a piece at a time', async () => {
    const read = vi.fn(() => Promise.resolve(Buffer.from(FINISH)));
    await piped({ read, cancel: () => {}, length: undefined }, passing).read();
    expect(read).toHaveBeenCalledOnce();
  });
});

describe('a stream that is translated', () => {
  const passing = { client: 'messages', upstream: 'completions' } as const;

  test('counts what the provider says, and speaks to the client in its format', async () => {
    const call = streamCall();
    const told = await textOf(piped(bodyOf([DELTA, ': ping\n\n', FINISH, USAGE, DONE]), { ...passing, call }));
    expect(told).toContain('event: message_stop');
    expect(call.totalTokens()).toBe(70);
  });

  test('ends with an error of the client when the provider breaks off', async () => {
    expect(await textOf(piped(bodyOf([DELTA], broken), passing))).toContain('event: error\ndata: {"type":"error"');
  });
});

test.each([
  ['translated', { client: 'messages', upstream: 'completions' }],
  ['guarded', { guards: [masking] }],
] as const)(
  'a stream that is %s ends at an event larger than allowed, and the provider is cut off',
  async (_, passing) => {
    const provider = bodyOf([DELTA, `data: ${'x'.repeat(5 * 1024 * 1024)}`]);
    const told = await textOf(piped(provider, passing));
    expect(told).toContain('an event of the provider is too large');
    expect(provider.cancel).toHaveBeenCalledOnce();
  },
);

function said(text: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
}

describe('what is told of a guarded stream', () => {
  test.each([
    ['of its own format', { client: 'completions' }],
    ['that was translated', { client: 'messages', upstream: 'completions' }],
  ] as const)('is what the client gets: a stream %s', async (_, passing) => {
    const call = listened(FORMATS[passing.client]);
    const provider = bodyOf([said('is 123-'), said('45-6789.'), FINISH, DONE]);
    const told = await textOf(piped(provider, { ...passing, guards: [masking], call }));
    expect(told).toContain('<SSN>');
    expect(call.variables()['completion']).toEqual(['is <SSN>.']);
  });

  test('leaves out what was rejected', async () => {
    const call = listened();
    const guard = scripted(({ texts }) => (texts.some(({ text }) => text.includes('bad')) ? REJECT : { kind: 'pass' }));
    const told = await textOf(piped(bodyOf([said('good '.repeat(300)), said('bad'), DONE]), { guards: [guard], call }));
    expect(told).toContain('guardrail_blocked');
    expect(told).not.toContain('bad');
    expect(call.variables()['completion']).toEqual(['good '.repeat(300)]);
  });

  test('ends with the error of the format when the provider breaks off, after what waited', async () => {
    const told = await textOf(piped(bodyOf([said('is 123-45-6789')], broken), { guards: [masking] }));
    expect(told).toMatch(/is <SSN>.*\n\ndata: \{"error":/s);
  });
});

const CHUNKS = [DELTA, DELTA, FINISH, USAGE, DONE];
const CONVERSE = [
  { messageStart: { role: 'assistant' } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'a' } } },
  { messageStop: { stopReason: 'end_turn' } },
  { metadata: { usage: { inputTokens: 1, outputTokens: 2 } } },
].map((event) => `data: ${JSON.stringify(event)}\n\n`);

test.each([
  ['passes', { client: 'completions' }, CHUNKS],
  ['is guarded', { client: 'completions', guards: [masking] }, CHUNKS],
  ['is translated', { client: 'messages', upstream: 'completions' }, CHUNKS],
  ['is translated twice', { client: 'responses', upstream: 'converse' }, CONVERSE],
  ['is translated and guarded', { client: 'messages', upstream: 'completions', guards: [masking] }, CHUNKS],
] as const)('no event of a stream that %s is parsed more than once', async (_, passing, events) => {
  const body = piped(bodyOf(events), { ...passing, call: listened(FORMATS[passing.client]) });
  const parse = vi.spyOn(JSON, 'parse');
  try {
    expect(await textOf(body)).not.toBe('');
    expect(parse.mock.calls.length).toBeGreaterThan(0);
    expect(parse.mock.calls.length).toBeLessThanOrEqual(events.length);
  } finally {
    parse.mockRestore();
  }
});
