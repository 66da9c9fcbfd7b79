import { z } from 'zod';
import { parseJson } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import type { Said } from '../said.ts';
import { cloudError, cloudErrorHeaders, modelAt } from './converse/dialect.ts';
import { converseProblem } from './converse/request.ts';
import { signatureFormProblem } from './converse/signature.ts';
import type { LlmFormat, Problem } from './format.ts';
import { anyObject, problem, schemaProblem } from './schema.ts';

/** The token count of cloud A: what the model itself would be asked, as bytes within a document, or what Converse would be. */
export const countTokens: LlmFormat = {
  name: 'CountTokens',
  path: '/model/{model}/count-tokens',
  at: (path) => modelAt(path, { 'count-tokens': false }),
  headerProblem: signatureFormProblem,
  bodyProblem,
  error: cloudError,
  errorHeaders: cloudErrorHeaders,
  reply: (said: Said): Json => ({ inputTokens: said.tokens?.input ?? 0 }),
};

const requestSchema = z.strictObject({
  input: z.union([
    z.strictObject({ invokeModel: z.strictObject({ body: z.base64().min(1) }) }),
    z.strictObject({ converse: anyObject }),
  ]),
});

/** Members of Converse that say nothing of the input. */
const UNCOUNTED = ['inferenceConfig', 'guardrailConfig'];

/** What a model of vendor4 wants at least; the path names it, so the body must not. */
const asked = z.looseObject({
  anthropic_version: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']) })).min(1),
  model: z.undefined().optional(),
});

function bodyProblem(request: Json): Problem | undefined {
  const wrong = schemaProblem(requestSchema, request);
  if (wrong !== undefined) return wrong;
  const { input } = requestSchema.parse(request);
  if ('converse' in input) {
    const member = UNCOUNTED.find((name) => name in input.converse);
    return member === undefined
      ? converseProblem(input.converse)
      : problem(`Unknown parameter: '${member}'.`, member, 'unknown_parameter');
  }
  const bytes = Buffer.from(input.invokeModel.body, 'base64');
  const body = anyObject.safeParse(parseJson(bytes.toString('utf8'))).data;
  return body === undefined ? problem('The body of invokeModel is no JSON object.') : schemaProblem(asked, body);
}
