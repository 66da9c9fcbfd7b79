import fc from 'fast-check';
import { describe, expect, test, vi, type Mock } from 'vitest';
import type { Format } from '../../../../backends/ai/formats/format.ts';
import { FORMATS } from '../../../../backends/ai/formats/registry.ts';
import { BUILTINS } from '../../../../backends/ai/guards/builtins.ts';
import { GuardFailure, PASS, REJECT, type Guard, type Verdict } from '../../../../backends/ai/guards/guard.ts';
import { asObject, asObjects, asString, parseObject, type Json } from '../../../../backends/json.ts';
import { mask } from '../../../../backends/ai/guards/mask.ts';
import { workBudget } from '../../../../backends/ai/guards/work.ts';
import { hideStage } from '../../../../backends/ai/streams/count.ts';
import { guardStage } from '../../../../backends/ai/streams/guard.ts';
import { rewrittenStream } from '../../../../backends/ai/streams/rewrite.ts';
import { sseCutter } from '../../../../backends/ai/streams/sse.ts';
import { sameFormatStage } from '../../../../backends/ai/streams/translate.ts';
import { replyText } from '../../../../backends/ai/translate/reply-text.ts';
import { writeSse } from '../../../../backends/ai/streams/write-sse.ts';
import type { Body } from '../../../../base/body.ts';
import { Cancellation } from '../../../../base/cancellation.ts';
import { context, scripted } from '../guards/support.ts';
import { streamCall } from '../support/exchange.ts';

type Spoken = 'completions' | 'messages' | 'responses';

/** A stream of these pieces of text, each an event, as the format tells it, in chunks of that many bytes. */
function streamOf(
  format: Spoken,
  pieces: readonly string[],
  size: number,
): Body & { readonly cancel: Mock<() => void> } {
  return bodyOf([...pieces.map((piece) => EVENTS[format](piece)), ...ENDS[format](pieces.join(''))], size);
}

function bodyOf(events: readonly object[], size: number): Body & { readonly cancel: Mock<() => void> } {
  const bytes = Buffer.concat(events.map((data) => writeSse(JSON.stringify(data))));
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return { read: () => Promise.resolve(chunks.shift()), cancel: vi.fn<() => void>(), length: undefined };
}

const EVENTS: Readonly<Record<Spoken, (text: string) => object>> = {
  completions: (content) => ({ choices: [{ index: 0, delta: { content } }] }),
  messages: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  responses: (delta) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta }),
};

/** What an event adds to what the model says. */
const TEXTS: Readonly<Record<Spoken, (event: Json) => string>> = {
  completions: ({ choices }) =>
    asObjects(choices)
      .map(({ delta }) => replyText(asObject(delta)?.['content']))
      .join(''),
  messages: ({ delta }) => asString(asObject(delta)?.['text']) ?? '',
  responses: ({ type, delta }) => (type === 'response.output_text.delta' ? String(delta) : ''),
};

const ENDS: Readonly<Record<Spoken, (text: string) => readonly object[]>> = {
  completions: () => [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }],
  messages: () => [{ type: 'message_stop' }],
  responses: (text) => {
    const part = { type: 'output_text', text };
    return [
      { type: 'response.output_text.done', output_index: 0, content_index: 0, text },
      { type: 'response.content_part.done', output_index: 0, content_index: 0, part },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'message', content: [part] } },
      { type: 'response.completed', response: { output: [{ type: 'message', content: [part] }] } },
    ];
  },
};

/** The stream as these guards let it pass. */
function guarded(body: Body, guards: readonly Guard[], client: Format): Body {
  const stages = [sameFormatStage(client), guardStage(guards, client, context())];
  return rewrittenStream(body, sseCutter(), { stages, call: streamCall(), cancellation: new Cancellation() });
}

async function read(
  body: Body,
): Promise<{ readonly events: readonly Record<string, unknown>[]; readonly all: string }> {
  const cutter = sseCutter();
  const data: string[] = [];
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
    data.push(...cutter.push(chunk).map((event) => event.data ?? ''));
  }
  return { events: data.map((text) => parseObject(text) ?? {}), all: data.join('\n') };
}

async function textOf(body: Body, format: Spoken): Promise<string> {
  return (await read(body)).events.map((event) => TEXTS[format](event)).join('');
}

const rules = [BUILTINS.Ssn, BUILTINS.Email];
const masking: Guard = {
  check: () => Promise.reject(new Error('not asked')),
  masks: rules,
  failOpen: 'never',
  response: undefined,
};

const piece = fc.oneof(
  fc.constantFrom(
    '123-45-',
    '6789',
    '123-45-6789',
    ' and ',
    'a@b.',
    'example',
    '12',
    ' ',
    'x'.repeat(300),
    'y '.repeat(700),
  ),
  fc.string({ maxLength: 5 }),
);

describe('matches in a stream', () => {
  test.each(['completions', 'messages', 'responses'] as const)(
    'are hidden in %s as in the whole text, wherever it is cut',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.constantFrom(1, 33, 100_000), async (pieces, size) => {
          const whole = await mask(pieces.join(''), rules, workBudget(new Cancellation()));
          // Longer than what stays in view: nobody promises to find those.
          fc.pre(whole.hidden.every(({ start, end }) => end - start < 200));
          const told = await textOf(guarded(streamOf(format, pieces, size), [masking], FORMATS[format]), format);
          expect(told).toBe(whole.text);
        }),
        { numRuns: 60 },
      );
    },
    30_000,
  );

  test('are hidden in everything that says the text once more', async () => {
    const body = guarded(streamOf('responses', ['is 123-', '45-6789.'], 9), [masking], FORMATS.responses);
    const { all } = await read(body);
    expect(all).not.toContain('45-6789');
    expect(all.split('is <SSN>.')).toHaveLength(5);
  });

  test('leave a stream without any of them as it is', async () => {
    const body = guarded(streamOf('completions', ['a', '', 'b'], 5), [masking], FORMATS.completions);
    const { events } = await read(body);
    expect(events).toEqual([...['a', '', 'b'].map(EVENTS.completions), ...ENDS.completions('')]);
  });
});

/** The same piece of a choice as a text, as one part, or as two. */
const SHAPES: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => [{ type: 'text', text }],
  (text) => [
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
    { type: 'text', text: text.slice(0, 2) },
    { type: 'text', text: text.slice(2) },
  ],
];

test.each(SHAPES.flatMap((first, one) => SHAPES.map((second, other) => [one, other, first, second] as const)))(
  'a match is hidden where the provider says it in parts: shapes %i and %i',
  async (_one, _other, first, second) => {
    const events = [first('is 123-'), second('45-6789.')].map((content) => ({
      choices: [{ index: 0, delta: { content } }],
    }));
    const body = guarded(bodyOf([...events, ...ENDS.completions('')], 1000), [masking], FORMATS.completions);
    expect(await textOf(body, 'completions')).toBe('is <SSN>.');
  },
);

describe('guards that are asked', () => {
  const long = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(100)} `);

  test('see all of the text, in parts of a kilobyte that overlap', async () => {
    const guard = scripted(() => PASS);
    const told = await textOf(guarded(streamOf('messages', long, 200), [guard], FORMATS.messages), 'messages');
    expect(told).toBe(long.join(''));
    const asked = guard.asked.map(([text = '']) => text);
    expect(asked.length).toBeGreaterThan(2);
    for (const [index, text] of asked.entries()) {
      if (index > 0) expect(text.startsWith(asked[index - 1]?.slice(-256) ?? '')).toBe(true);
    }
    expect(asked.map((text, index) => (index === 0 ? text : text.slice(256))).join('')).toBe(long.join(''));
  });

  test('end the stream with an error when they reject, without what they rejected', async () => {
    const guard = scripted(({ texts }) => (texts.some(({ text }) => text.includes('15 x')) ? REJECT : PASS), {
      response: { message: 'Not with us' },
    });
    const source = streamOf('messages', long, 200);
    const { events, all } = await read(guarded(source, [guard], FORMATS.messages));
    expect(all).toContain('0 x');
    expect(all).not.toContain('15 x');
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'guardrail_blocked', code: 'guardrail_intervention', message: 'Not with us' },
    });
    expect(source.cancel).toHaveBeenCalledOnce();
  });

  test('mask what is held', async () => {
    const guard = scripted(({ texts }) => ({
      kind: 'mask',
      texts: texts.map(({ role, text }) => ({ role, text: text.replaceAll('Bob', 'somebody') })),
    }));
    const body = guarded(streamOf('completions', ['B', 'o', 'b and Bob'], 50), [guard], FORMATS.completions);
    expect(await textOf(body, 'completions')).toBe('somebody and somebody');
  });

  test('reject when they would mask what is gone', async () => {
    const guard = scripted(({ texts }): Verdict => ({
      kind: 'mask',
      texts: texts.map(({ role, text }) => ({ role, text: text.toUpperCase() })),
    }));
    const { all } = await read(guarded(streamOf('messages', long, 200), [guard], FORMATS.messages));
    expect(all).toContain('guardrail_blocked');
    expect(all).toContain('0 XXX');
  });

  test.each([
    ['never', 'content blocked by guardrail policy'],
    ['streams', 'hello'],
    ['always', 'hello'],
  ] as const)('that fail, with failOpen %s', async (failOpen, expected) => {
    const guard = scripted(
      () => {
        throw new GuardFailure('down');
      },
      { failOpen },
    );
    const { all } = await read(guarded(streamOf('completions', ['hello'], 50), [guard], FORMATS.completions));
    expect(all).toContain(expected);
    expect(all.includes('hello')).toBe(expected === 'hello');
  });

  test('come one after the other', async () => {
    const second = scripted(() => PASS);
    const body = guarded(streamOf('completions', ['is 123-45-6789'], 9), [masking, second], FORMATS.completions);
    expect(await textOf(body, 'completions')).toBe('is <SSN>');
    expect(second.asked).toEqual([['is <SSN>']]);
  });
});

test('what has no text and nothing before it is not held', async () => {
  const source = streamOf('messages', [], 1000);
  const start = writeSse('{"type":"message_start"}', 'message_start');
  const never: Body = {
    ...source,
    read: vi
      .fn<Body['read']>()
      .mockResolvedValueOnce(start)
      .mockReturnValue(new Promise(() => {})),
  };
  const first = await guarded(never, [masking], FORMATS.messages).read();
  expect(Buffer.from(first ?? []).toString()).toBe(Buffer.from(start).toString());
});

test('events that stay as they are leave in the memory they came in, several at once too', async () => {
  const [first, second, tokens] = [
    EVENTS.completions('a'),
    EVENTS.completions('b'),
    { choices: [], usage: { total_tokens: 1 } },
  ];
  const chunk = Buffer.concat([first, second, tokens].map((data) => writeSse(JSON.stringify(data))));
  const chunks = [chunk];
  const body = { read: () => Promise.resolve(chunks.shift()), cancel: () => undefined, length: undefined };
  const hiding = hideStage(FORMATS.completions);
  const stages = hiding === undefined ? [] : [hiding];
  const told = await rewrittenStream(body, sseCutter(), {
    stages,
    call: streamCall(),
    cancellation: new Cancellation(),
  }).read();
  expect(Buffer.from(told ?? []).toString()).toBe(
    `data: ${JSON.stringify(first)}\n\ndata: ${JSON.stringify(second)}\n\n`,
  );
  expect([told?.buffer, told?.byteOffset]).toEqual([chunk.buffer, chunk.byteOffset]);
});
