import { gzipSync, deflateSync, brotliCompressSync, zstdCompressSync, constants } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { decodedStream } from '../../../../backends/ai/streams/decode.ts';
import type { Body } from '../../../../base/body.ts';
import { HeaderMap } from '../../../../base/headers.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';

const TEXT = 'data: {"a":1}\n\ndata: [DONE]\n\n';

function answer(
  encoding: string,
  body: Body | undefined,
): { readonly headers: HeaderMap; readonly body: Body | undefined } {
  const headers = HeaderMap.of([
    ['content-type', 'text/event-stream'],
    ['content-encoding', encoding],
    ['content-length', '10'],
  ]);
  return { headers, body };
}

/** These pieces, then the end, or a failure. */
function bodyOf(pieces: readonly Uint8Array[], failure?: Error): Body {
  const rest = [...pieces];
  return {
    read: () => {
      const next = rest.shift();
      return next === undefined && failure !== undefined ? Promise.reject(failure) : Promise.resolve(next);
    },
    cancel: vi.fn<() => void>(),
    length: undefined,
  };
}

async function text(body: Body | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for (let chunk = await body?.read(); chunk !== undefined; chunk = await body?.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a stream in an encoding', () => {
  test.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('is read as it was before: %s', async (encoding, encode) => {
    const bytes = encode(TEXT);
    const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
    const { headers, body } = decodedStream(answer(encoding, bodyOf(pieces)));
    expect(await text(body)).toBe(TEXT);
    expect(headers.get('content-encoding')).toBeUndefined();
    expect(headers.get('content-length')).toBeUndefined();
  });

  test('tells each piece when it comes, not when the stream is over', async () => {
    const never = Promise.withResolvers<Uint8Array | undefined>();
    const pieces = [gzipSync('data: 1\n\n', { finishFlush: constants.Z_SYNC_FLUSH })];
    const read = (): Promise<Uint8Array | undefined> => {
      const piece = pieces.shift();
      return piece === undefined ? never.promise : Promise.resolve(piece);
    };
    const { body } = decodedStream(answer('gzip', { read, cancel: () => {}, length: undefined }));
    expect(Buffer.from((await body?.read()) ?? []).toString()).toBe('data: 1\n\n');
    body?.cancel();
    never.resolve(undefined);
  });

  test('fails where it breaks off or is no such encoding', async () => {
    const bytes = gzipSync(TEXT);
    const broken = new ProxyError('upstreamCallFailed', 'reset');
    await expect(text(decodedStream(answer('gzip', bodyOf([bytes.subarray(0, 12)], broken))).body)).rejects.toBe(
      broken,
    );
    await expect(text(decodedStream(answer('gzip', bodyOf([bytes.subarray(0, 12)]))).body)).rejects.toThrow();
    await expect(text(decodedStream(answer('gzip', bodyOf([Buffer.from(TEXT)]))).body)).rejects.toThrow();
  });

  test('is cut off at the provider when nobody wants more', () => {
    const body = bodyOf([gzipSync(TEXT)]);
    decodedStream(answer('gzip', body)).body?.cancel();
    expect(body.cancel).toHaveBeenCalledOnce();
  });
});

test.each(['', 'identity', 'compress', 'gzip, br'])('an answer in the encoding "%s" stays as it is', (encoding) => {
  const given = answer(encoding, bodyOf([]));
  expect(decodedStream(given)).toBe(given);
});
