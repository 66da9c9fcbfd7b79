import { Buffer } from 'node:buffer';
import { asList, asNumber, asObject, asObjects, type Json } from '../../../json.ts';
import { UnreadableReply, type Stamp } from '../translation.ts';

/** The vectors of a model's own reply as a list of embeddings. Throws UnreadableReply when there are none. */
export function embeddingsReply(reply: Json, { request = {}, header }: Stamp): Json {
  const tokens = asNumber(reply['inputTextTokenCount']) ?? Number(header?.('x-amzn-bedrock-input-token-count') ?? 0);
  const encoded = request['encoding_format'] === 'base64';
  return {
    object: 'list',
    data: vectorsOf(reply).map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoded ? base64(vector) : vector,
    })),
    model: request['model'] ?? '',
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

/** Each family has a place of its own for them. */
function vectorsOf(reply: Json): readonly (readonly unknown[])[] {
  const { embedding, embeddings } = reply;
  if (Array.isArray(embedding)) return [embedding];
  const named = asObject(embeddings);
  const list = asList(named === undefined ? embeddings : named['float']);
  if (list.length === 0) throw new UnreadableReply('the reply has no embedding');
  return list.every(Array.isArray) ? list.map(asList) : asObjects(list).map((one) => asList(one['embedding']));
}

/** The numbers in 32 bits each, as clients of this format unpack them. */
function base64(vector: readonly unknown[]): string {
  return Buffer.from(new Float32Array(vector.map(Number)).buffer).toString('base64');
}
