import { Buffer } from 'node:buffer';
import { Socket } from 'node:net';
import { ConnectError } from '@connectrpc/connect';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frame, Frames } from '../../upstream/grpc-frames.ts';
import { skipInterimAnswers } from '../../upstream/interim-answers.ts';
import { holds } from '../support/holds.ts';

const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });

describe('messages of gRPC', () => {
  test('are what was framed, however the stream is cut', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 6 });
    holds(
      fc.property(messages, sizes, (sent, lengths) => {
        const frames = new Frames();
        const got = inPieces(Buffer.concat(sent.map(frame)), lengths).flatMap((piece) => frames.take(piece));
        expect(got.map((bytes) => [...bytes])).toEqual(sent.map((bytes) => [...bytes]));
        frames.end();
      }),
    );
  });

  test('of anything are no longer than what came, or an error of the protocol', () => {
    const prefix = fc.tuple(
      fc.constantFrom(0, 0, 0, 1, 255),
      fc.constantFrom(0, 3, 10, 0x40_00_00, 0x40_00_01, 0xff_ff_ff_ff),
    );
    const any = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 12 }),
        prefix.map(([flag, length]) => Buffer.from([flag, length >>> 24, length >>> 16, length >>> 8, length])),
      ),
      { maxLength: 8 },
    );
    holds(
      fc.property(any, sizes, (parts, lengths) => {
        const frames = new Frames();
        const all = Buffer.concat(parts);
        try {
          const got = inPieces(all, lengths).flatMap((piece) => frames.take(piece));
          expect(got.reduce((sum, { length }) => sum + length + 5, 0)).toBeLessThanOrEqual(all.length);
          frames.end();
        } catch (error) {
          expect(error).toBeInstanceOf(ConnectError);
        }
      }),
    );
  });
});

describe('interim answers', () => {
  const interim = fc.constantFrom(
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 102 Processing\r\nx: y\r\n\r\n',
    'HTTP/1.0 199 \r\n\r\n',
  );
  const final = fc.constantFrom(
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nHTTP/',
    'HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 204\r\n\r\n',
  );

  test('are taken out before the final answer and nowhere else, however they are cut', () => {
    holds(
      fc.property(fc.array(interim, { maxLength: 4 }), final, sizes, (before, answer, lengths) => {
        expect(passed(Buffer.from(before.join('') + answer, 'latin1'), lengths)).toBe(answer);
      }),
    );
  });

  test('of anything leave nothing that was not there', () => {
    const crumb = fc.constantFrom(
      'HTTP',
      '/1.1',
      ' ',
      '1',
      '100',
      '103',
      '200',
      '\r\n',
      '\r\n\r\n',
      'H',
      'RTSP/1.0',
      'x: y',
    );
    holds(
      fc.property(fc.array(crumb, { maxLength: 20 }), sizes, (crumbs, lengths) => {
        const all = crumbs.join('');
        expect(passed(Buffer.from(all, 'latin1'), lengths).length).toBeLessThanOrEqual(all.length);
      }),
    );
  });
});

/** What is read of a connection behind one request, whose bytes come in pieces of these sizes. */
function passed(all: Buffer, lengths: readonly number[]): string {
  const pieces = inPieces(all, lengths);
  const bare = new Socket();
  bare.on('error', () => {});
  Object.assign(bare, { write: () => true, read: () => pieces.shift() ?? null });
  const socket = skipInterimAnswers(bare);
  socket.write('GET / HTTP/1.1\r\n\r\n');
  let text = '';
  while (pieces.length > 0 && !socket.destroyed) {
    const read: unknown = socket.read();
    if (Buffer.isBuffer(read)) text += read.toString('latin1');
  }
  socket.destroy();
  return text;
}

function inPieces(all: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < all.length; turn += 1) {
    const end = at + (lengths[turn % lengths.length] ?? 1);
    pieces.push(all.subarray(at, end));
    at = end;
  }
  return pieces;
}
