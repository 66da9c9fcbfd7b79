import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sseCutter } from '../../../../backends/ai/streams/sse.ts';
import { writeSse } from '../../../../backends/ai/streams/write-sse.ts';
import { holds } from '../../../support/holds.ts';

const ENCODER = new TextEncoder();

interface Read {
  /** What the stream says, by event. */
  readonly events: readonly { readonly event?: string; readonly data: string }[];
  /** All that came out, byte by byte. */
  readonly bytes: Uint8Array;
  readonly overflowed: boolean;
}

function readAll(pieces: readonly Uint8Array[], limit?: number): Read {
  const cutter = sseCutter(limit);
  const all = [...pieces.flatMap((piece) => cutter.push(piece)), ...cutter.end()];
  const events = all.flatMap(({ name, data }) =>
    data === undefined ? [] : [{ ...(name === undefined ? {} : { event: name }), data }],
  );
  return { events, bytes: Buffer.concat(all.map(({ bytes }) => bytes)), overflowed: cutter.failure() !== undefined };
}

function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].toSorted((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const STREAMS: readonly [name: string, text: string, events: Read['events']][] = [
  ['one event', 'data: a\n\n', [{ data: 'a' }]],
  ['no blank after the colon', 'data:a\n\n', [{ data: 'a' }]],
  ['only the first blank goes', 'data:  a\n\n', [{ data: ' a' }]],
  ['a named event', 'event: ping\ndata: {}\n\n', [{ event: 'ping', data: '{}' }]],
  ['several data lines', 'data: a\ndata: b\n\n', [{ data: 'a\nb' }]],
  ['data without a value', 'data\n\n', [{ data: '' }]],
  ['an event without data is none', 'event: ping\n\ndata: a\n\n', [{ data: 'a' }]],
  ['comments and other fields', ': hi\nid: 1\nretry: 5\ndata: a\n\n', [{ data: 'a' }]],
  ['carriage returns', 'data: a\r\rdata: b\r\r', [{ data: 'a' }, { data: 'b' }]],
  ['both line ends', 'data: a\r\n\r\ndata: b\r\n\r\n', [{ data: 'a' }, { data: 'b' }]],
  [
    'both line ends in an event of several lines',
    'event: e\r\ndata: a\r\ndata: b\r\n\r\n',
    [{ event: 'e', data: 'a\nb' }],
  ],
  ['no blank line at the end', 'data: a\n\ndata: b', [{ data: 'a' }, { data: 'b' }]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [{ data: 'a' }]],
  ['letters of several bytes', 'data: åß∂🙂\n\n', [{ data: 'åß∂🙂' }]],
];

test.each(STREAMS)('%s', (_, text, events) => {
  const bytes = ENCODER.encode(text);
  expect(readAll([bytes]).events).toEqual(events);
  expect(readAll([...bytes].map((byte) => Uint8Array.of(byte))).events).toEqual(events);
});

test('any bytes, cut anywhere, give the same events and no exception', () => {
  const line = fc.oneof(
    fc.constantFrom('data: x', 'data:', 'event: e', ':', '', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', 'é🙂'),
    fc.string(),
  );
  const text = fc.array(line, { maxLength: 30 }).map((lines) => ENCODER.encode(lines.join('')));
  const bytes = fc.oneof(text, fc.uint8Array({ maxLength: 200 }));
  holds(
    fc.property(
      bytes,
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.constantFrom(8, 40, undefined),
      (all, places, limit) => {
        const { bytes: whole, ...read } = readAll([all], limit);
        const { bytes: joined, ...again } = readAll(cut(all, places), limit);
        expect(again).toEqual(read);
        if (!read.overflowed)
          expect([Buffer.from(joined), Buffer.from(whole)]).toEqual([Buffer.from(all), Buffer.from(all)]);
      },
    ),
    { numRuns: 500 },
  );
});

test('what is written is read again', () => {
  const line = fc.string().map((text) => text.replaceAll(/[\r\n]/g, ''));
  const data = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'));
  const event = fc.record({ event: line.filter((name) => name !== ''), data }, { requiredKeys: ['data'] });
  holds(
    fc.property(fc.array(event), (events) => {
      const pieces = events.map(({ data: said, event: name }) => writeSse(said, name));
      expect(readAll(pieces).events).toEqual(events.map((one) => ({ ...one })));
    }),
  );
});

test('an event that is too large ends the reading, however it comes', () => {
  const bytes = ENCODER.encode(`data: ok\n\ndata: ${'x'.repeat(100)}\n\ndata: late\n\n`);
  const whole = readAll([bytes], 50);
  expect(whole).toMatchObject({ events: [{ data: 'ok' }], overflowed: true });
  expect(readAll(cut(bytes, [3, 20, 70]), 50)).toEqual(whole);
  // Many small lines count together.
  expect(readAll([ENCODER.encode('data: x\n'.repeat(20))], 50)).toMatchObject({ events: [], overflowed: true });
});

test('a line that never ends is not kept', () => {
  const cutter = sseCutter(1000);
  for (let times = 0; times < 10_000; times += 1) cutter.push(ENCODER.encode('x'.repeat(100)));
  expect(cutter.failure()).toContain('too large');
});
