import { pipeline, Readable, type Transform } from 'node:stream';
import type { Body } from '../../../base/body.ts';
import type { HeaderMap } from '../../../base/headers.ts';
import { decoderOf } from '../../../base/content-encoding.ts';

/** What of an answer a stream consists of. */
interface Streamed {
  readonly headers: HeaderMap;
  readonly body: Body | undefined;
}

/**
 * A stream without its `Content-Encoding`, piece by piece: providers that encode one although nobody asked them to are
 * understood all the same. As it is when the encoding is unknown; the body rejects where the encoding is broken.
 */
export function decodedStream<T extends Streamed>(answer: T): T {
  const { headers, body } = answer;
  const decoder = body && decoderOf(headers.get('content-encoding'));
  if (body === undefined || decoder === undefined) return answer;
  return { ...answer, headers: headers.remove('content-encoding', 'content-length'), body: through(body, decoder) };
}

function through(body: Body, decoder: Transform): Body {
  // What went wrong is told to who reads; here nobody is left to be told.
  pipeline(Readable.from(chunksOf(body)), decoder, () => {});
  const decoded: AsyncIterator<Uint8Array, undefined> = decoder[Symbol.asyncIterator]();
  return {
    read: async () => (await decoded.next()).value,
    cancel: () => {
      body.cancel();
      decoder.destroy();
    },
    length: undefined,
  };
}

async function* chunksOf(body: Body): AsyncGenerator<Uint8Array> {
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) yield chunk;
}
