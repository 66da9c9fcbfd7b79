import { Buffer } from 'node:buffer';
import { embeddings } from '../formats/embeddings.ts';
import { predict } from '../formats/predict.ts';
import { asList, asNumber, asObject, asObjects, asString, present, type Json } from '../../json.ts';
import { UnreadableReply, UnsupportedByFormat, type Stamp, type Translation } from './translation.ts';
import { noStream } from './no-stream.ts';
import { translatedError } from './upstream-error.ts';

/** A client that wants embeddings of a model on the platform of cloud C (ROUTES-014). */
export const embeddingsToPredict: Translation = {
  from: 'embeddings',
  to: 'predict',
  request: predictRequest,
  reply: embeddingsReply,
  error: (status, error) => translatedError(embeddings, status, error),
  stream: () => noStream(embeddings),
};

/** Each text is an instance. What the vectors are for must be said; without a word they are for queries. */
function predictRequest(request: Json): Json {
  const inputs = [request['input']].flat().map(asString);
  const task = { task_type: asString(request['task_type']) ?? 'RETRIEVAL_QUERY', title: asString(request['title']) };
  const parameters = present({
    autoTruncate: request['auto_truncate'] ?? undefined,
    outputDimensionality: request['dimensions'] ?? undefined,
  });
  const instances = inputs.map((content) => {
    if (content === undefined) throw new UnsupportedByFormat('the provider takes text, not tokens');
    return present({ content, ...task });
  });
  return { instances, ...(Object.keys(parameters).length > 0 && { parameters }) };
}

function embeddingsReply(reply: Json, { request }: Stamp): Json {
  if (!Array.isArray(reply['predictions'])) throw new UnreadableReply('the reply has no predictions');
  const vectors = asObjects(reply['predictions']).map((one) => asList(asObject(one['embeddings'])?.['values']));
  const data = vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: request?.['encoding_format'] === 'base64' ? base64(vector) : vector,
  }));
  const tokens = predict.usage(reply)?.inputTokens ?? 0;
  const model = request?.['model'] ?? '';
  return { object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** Numbers of 32 bits, the lower bytes first, as clients ask for them. */
function base64(vector: readonly unknown[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(asNumber(value) ?? 0, index * 4));
  return bytes.toString('base64');
}
