import { asList, present, type Json } from '../../../json.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** An embeddings request as the model of its name wants it. Throws UnsupportedByFormat for models of no known family. */
export function invokeRequest(request: Json): Json {
  const model = String(request['model']);
  const family = FAMILIES.find(([name]) => name.test(model));
  if (family === undefined) throw new UnsupportedByFormat(`the model ${model} makes no embeddings`);
  const [, make] = family;
  return make(request, model);
}

const FAMILIES: readonly (readonly [name: RegExp, make: (request: Json, model: string) => Json])[] = [
  [/cohere\.embed/, cohere],
  [/amazon\.nova/, nova],
  [/amazon\.titan-embed/, titan],
];

function cohere(request: Json, model: string): Json {
  const { input, input_type: type, truncate, dimensions } = request;
  const texts = typeof input === 'string' ? [input] : asList(input);
  if (texts.some((text) => typeof text !== 'string')) throw new UnsupportedByFormat('input must be text');
  return present({
    texts,
    input_type: type ?? 'search_query',
    truncate,
    output_dimension: model.includes('embed-v4') ? dimensions : undefined,
  });
}

function nova({ input, dimensions }: Json): Json {
  const text = { truncationMode: 'END', value: oneText(input) };
  const purpose = { embeddingPurpose: 'GENERIC_INDEX', embeddingDimension: dimensions, text };
  return { taskType: 'SINGLE_EMBEDDING', singleEmbeddingParams: present(purpose) };
}

function titan({ input, dimensions, normalize, embedding_types: types }: Json): Json {
  return present({ inputText: oneText(input), dimensions, normalize, embeddingTypes: types });
}

/** These models take one text at a time. */
function oneText(input: unknown): string {
  if (typeof input === 'string') return input;
  throw new UnsupportedByFormat('the model takes one text at a time: input must be a string');
}
