import { z } from 'zod';
import type { Json } from '../../../json.ts';
import type { Said } from '../said.ts';
import { cloudError, cloudErrorHeaders, modelAt } from './converse/dialect.ts';
import { signatureFormProblem } from './converse/signature.ts';
import type { LlmFormat, Problem } from './format.ts';
import { problem, schemaProblem } from './schema.ts';
import { vectorOf } from './vector.ts';

/** Invoke: the model's own embeddings, in whichever of three shapes its request has. */
export const invoke: LlmFormat = {
  name: 'Invoke',
  path: '/model/{model}/invoke',
  at: (path) => modelAt(path, { invoke: false }),
  headerProblem: signatureFormProblem,
  // API reference of Bedrock Runtime, InvokeModel: contentType is optional; boto3 sends no type, or application/octet-stream.
  anyType: true,
  bodyProblem,
  error: cloudError,
  errorHeaders: cloudErrorHeaders,
  reply,
};

const cohere = z.strictObject({
  texts: z.array(z.string().min(1)).min(1).max(96),
  input_type: z.enum(['search_document', 'search_query', 'classification', 'clustering']),
  truncate: z.enum(['NONE', 'START', 'END', 'LEFT', 'RIGHT']).optional(),
  output_dimension: z.union([z.literal(256), z.literal(512), z.literal(1024), z.literal(1536)]).optional(),
  // Other types are not what a client of Embeddings can read.
  embedding_types: z.array(z.literal('float')).min(1).optional(),
});

const nova = z.strictObject({
  taskType: z.literal('SINGLE_EMBEDDING'),
  singleEmbeddingParams: z.strictObject({
    embeddingPurpose: z.string().regex(/^[A-Z_]+$/),
    embeddingDimension: z.int().min(256).max(3072).optional(),
    text: z.strictObject({ truncationMode: z.enum(['START', 'END', 'NONE']), value: z.string().min(1) }),
  }),
});

const titan = z.strictObject({
  inputText: z.string().min(1),
  dimensions: z.union([z.literal(256), z.literal(512), z.literal(1024)]).optional(),
  normalize: z.boolean().optional(),
  embeddingTypes: z.array(z.enum(['float', 'binary'])).optional(),
});

/** What the model is told decides which model it is: no other takes any of it. */
function bodyProblem(request: Json): Problem | undefined {
  if ('texts' in request) return schemaProblem(cohere, request);
  if ('taskType' in request) return schemaProblem(nova, request);
  return 'inputText' in request ? schemaProblem(titan, request) : problem('Malformed input request.');
}

const DIMENSIONS = 4;

function reply(said: Said, request: Json): Json {
  const [texts, query, single] = [
    cohere.safeParse(request).data,
    nova.safeParse(request).data,
    titan.safeParse(request).data,
  ];
  if (texts !== undefined) {
    const vectors = texts.texts.map((text) => vectorOf(text, DIMENSIONS));
    // Whoever asks for types is answered by type, also where it is one.
    const byType = texts.embedding_types !== undefined;
    return {
      id: 'mock',
      texts: texts.texts,
      embeddings: byType ? { float: vectors } : vectors,
      response_type: byType ? 'embeddings_by_type' : 'embeddings_floats',
    };
  }
  if (query !== undefined) {
    const embedding = vectorOf(query.singleEmbeddingParams.text.value, DIMENSIONS);
    return { embeddings: [{ embeddingType: 'TEXT', embedding }] };
  }
  const tokens = said.tokens === undefined ? {} : { inputTextTokenCount: said.tokens.input };
  return { embedding: vectorOf(single?.inputText ?? '', DIMENSIONS), ...tokens };
}
