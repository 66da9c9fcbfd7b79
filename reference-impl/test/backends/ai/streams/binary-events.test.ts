import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventStreamDecoder, type EventStreamMessage } from '../../../../backends/ai/streams/binary-events.ts';
import { holds } from '../../../support/holds.ts';

const CODEC = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

describe('eventStreamDecoder', () => {
  it('reads what the codec of the cloud writes, wherever it is cut', () => {
    holds(
      fc.property(fc.array(anyMessage(), { maxLength: 4 }), fc.integer({ min: 1, max: 40 }), (messages, slice) => {
        const bytes = Buffer.concat(messages.map(({ headers, payload }) => encoded(headers, payload)));
        const decoder = eventStreamDecoder();
        const read = cut(bytes, slice).flatMap((piece) => decoder.push(piece));
        expect(decoder.failure()).toBeUndefined();
        expect(read.map(plain)).toEqual(messages.map(({ headers, payload }) => ({ headers, payload: [...payload] })));
      }),
    );
  });

  it('skips header fields that are not text, as the codec writes them', () => {
    const bytes = CODEC.encode({
      headers: {
        a: { type: 'boolean', value: true },
        b: { type: 'byte', value: 7 },
        c: { type: 'short', value: 7 },
        d: { type: 'integer', value: 7 },
        e: { type: 'binary', value: Buffer.from('x') },
        f: { type: 'uuid', value: '01234567-89ab-cdef-0123-456789abcdef' },
        g: { type: 'string', value: 'text' },
      },
      body: Buffer.from('{}'),
    });
    expect(eventStreamDecoder().push(bytes).map(plain)).toEqual([{ headers: { g: 'text' }, payload: [123, 125] }]);
  });

  it('notices any byte that was changed', () => {
    const bytes = encoded({ ':event-type': 'metadata' }, Buffer.from('{"usage":{}}'));
    holds(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const broken = Buffer.from(bytes);
        broken[at] = (broken[at] ?? 0) ^ change;
        const decoder = eventStreamDecoder();
        expect(decoder.push(broken)).toEqual([]);
        expect(decoder.failure()).toBeDefined();
        expect(decoder.push(bytes)).toEqual([]);
      }),
    );
  });

  it('refuses a message larger than allowed before it is there', () => {
    const decoder = eventStreamDecoder(100);
    expect(decoder.push(encoded({}, Buffer.alloc(200)).subarray(0, 12))).toEqual([]);
    expect(decoder.failure()).toContain('too large');
  });

  it('never throws, whatever comes', () => {
    holds(
      fc.property(fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 6 }), (pieces) => {
        const decoder = eventStreamDecoder();
        for (const piece of pieces) decoder.push(piece);
      }),
    );
  });

  it('refuses header fields that reach beyond their end', () => {
    holds(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 24 }), (headers) => {
        const decoder = eventStreamDecoder();
        const message = decoder.push(framed(Buffer.from(headers)));
        expect(message.length).toBe(decoder.failure() === undefined ? 1 : 0);
      }),
    );
  });
});

function anyMessage(): fc.Arbitrary<{ readonly headers: Record<string, string>; readonly payload: Uint8Array }> {
  const name = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text !== '__proto__');
  const headers = fc.dictionary(
    name,
    fc.string({ maxLength: 30, unit: 'grapheme' }).map((text) => text.toWellFormed()),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  );
  return fc.record({ headers, payload: fc.uint8Array({ maxLength: 200 }) });
}

function encoded(headers: Record<string, string>, body: Uint8Array): Buffer {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }] as const);
  return Buffer.from(CODEC.encode({ headers: Object.fromEntries(typed), body }));
}

/** A message with these bytes for its header fields, whatever they are; its checksums are right. */
function framed(headers: Buffer): Buffer {
  const length = 16 + headers.length;
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const body = Buffer.concat([prelude, headers]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([body, checksum]);
}

function cut(bytes: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function plain({ headers, payload }: EventStreamMessage): unknown {
  return { headers: Object.fromEntries(headers), payload: [...payload] };
}
