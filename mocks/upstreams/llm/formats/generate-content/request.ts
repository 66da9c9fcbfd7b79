import { z } from 'zod';
import { isJsonObject, type Json } from '../../../../json.ts';
import type { Problem } from '../format.ts';
import { anyObject, problem, schemaProblem } from '../schema.ts';
import { inCamelCase } from './names.ts';

// Members: the reference of the Gemini API (GenerateContentRequest, Content, Part, Tool, GenerationConfig) and that of the platform of cloud C.

/** What the provider says to a request in its native form; undefined when it takes it. */
export function generateContentProblem(written: Json): Problem | undefined {
  const request = inCamelCase(written);
  return schemaProblem(requestSchema, request) ?? together(requestSchema.parse(request));
}

const media = z.strictObject({
  mimeType: z.string().regex(/^[a-z]+\/(?!jpg$)[\w.+-]+$/),
  data: z.base64().min(1),
  displayName: z.string().optional(),
});
const ofEveryPart = {
  thought: z.boolean().optional(),
  thoughtSignature: z.base64().optional(),
  videoMetadata: anyObject.optional(),
  mediaResolution: anyObject.optional(),
  partMetadata: anyObject.optional(),
};

const part = z.union([
  z.strictObject({ text: z.string().min(1, 'text must not be empty'), ...ofEveryPart }),
  z.strictObject({ inlineData: media, ...ofEveryPart }),
  z.strictObject({
    fileData: z.strictObject({
      mimeType: z.string().min(1).optional(),
      fileUri: z.string().regex(/^(?:gs|https):\/\//),
      displayName: z.string().optional(),
    }),
    ...ofEveryPart,
  }),
  z.strictObject({
    functionCall: z.strictObject({ id: z.string().optional(), name: z.string().min(1), args: anyObject.optional() }),
    ...ofEveryPart,
  }),
  z.strictObject({
    functionResponse: z.strictObject({
      id: z.string().optional(),
      name: z.string().min(1),
      response: anyObject,
      parts: z.array(anyObject).optional(),
      willContinue: z.boolean().optional(),
      scheduling: z.string().optional(),
    }),
    ...ofEveryPart,
  }),
  z.strictObject({ executableCode: anyObject, ...ofEveryPart }),
  z.strictObject({ codeExecutionResult: anyObject, ...ofEveryPart }),
]);
type Part = z.infer<typeof part>;

/** The role may be left out (reference, `Content`). That of results is also `function`, as client libraries of the provider have it. */
const content = z.strictObject({ role: z.enum(['user', 'model', 'function']).optional(), parts: z.array(part).min(1) });

const TYPE = z.string().regex(/^(?:string|number|integer|boolean|array|object|null)$/i, 'expected a type');

/** The part of OpenAPI schemas that the provider knows; every other keyword is refused. */
const schema: z.ZodType = z.lazy(() =>
  z
    .strictObject({
      type: TYPE.optional(),
      format: z.string().optional(),
      title: z.string().optional(),
      description: z.string().optional(),
      nullable: z.boolean().optional(),
      enum: z.array(z.string('an enum has strings')).optional(),
      default: z.unknown().optional(),
      example: z.unknown().optional(),
      items: schema.optional(),
      minItems: z.int().optional(),
      maxItems: z.int().optional(),
      properties: z.record(z.string(), schema).optional(),
      required: z.array(z.string()).optional(),
      propertyOrdering: z.array(z.string()).optional(),
      minProperties: z.int().optional(),
      maxProperties: z.int().optional(),
      minLength: z.int().optional(),
      maxLength: z.int().optional(),
      pattern: z.string().optional(),
      minimum: z.number().optional(),
      maximum: z.number().optional(),
      anyOf: z.array(schema).min(1).optional(),
    })
    .superRefine((one, context) => {
      const message = typeProblem(one);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
);

/** API reference, `Schema`: `type` (required), `format`, `enum` (of type STRING), `items` (required for arrays), `required` (of properties). */
function typeProblem(one: Json): string | undefined {
  const { type, format, enum: values, items, anyOf } = one;
  if (anyOf !== undefined) return unionProblem(one);
  if (typeof type !== 'string') return 'type: must be specified when not using one_of, any_of or all_of fields';
  const kind = type.toLowerCase();
  if (values !== undefined && kind !== 'string') return 'enum: only allowed for STRING type';
  if (kind === 'array' && items === undefined) return 'items: missing field';
  if (typeof format === 'string' && FORMATS[kind]?.includes(format) !== true)
    return `format: only ${FORMATS[kind]?.join(', ')} are supported for ${kind}`;
  return requiredProblem(one, kind);
}

/** The platform of cloud C says so in its error; the other accepts it without siblings too. */
function unionProblem(one: Json): string | undefined {
  const beside = Object.keys(one).filter((keyword) => keyword !== 'anyOf' && one[keyword] !== undefined);
  if (beside.length === 0) return undefined;
  return 'specified other fields alongside any_of. When using any_of, it must be the only field set';
}

function requiredProblem({ required, properties }: Json, kind: string): string | undefined {
  if (!Array.isArray(required)) return undefined;
  if (kind !== 'object') return 'required: only allowed for OBJECT type';
  const known = isJsonObject(properties) ? properties : {};
  const missing = required.findIndex((name) => !Object.hasOwn(known, String(name)));
  return missing === -1 ? undefined : `required[${missing}]: property is not defined`;
}

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

const declaration = z.strictObject({
  name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, 'expected a name of a function'),
  description: z.string().optional(),
  // API reference, `FunctionDeclaration`: the parameters are an object.
  parameters: schema
    .refine((one) => isJsonObject(one) && /^object$/i.test(String(one['type'])), 'schema should be of type OBJECT')
    .optional(),
  // Any JSON Schema, in place of `parameters`.
  parametersJsonSchema: anyObject.optional(),
  response: schema.optional(),
  responseJsonSchema: anyObject.optional(),
  behavior: z.enum(['UNSPECIFIED', 'BLOCKING', 'NON_BLOCKING']).optional(),
});

/** Tools of the client's own, beside those of the provider, which have settings of their own. */
const tool = z.strictObject({
  functionDeclarations: z.array(declaration).min(1).optional(),
  googleSearch: anyObject.optional(),
  googleSearchRetrieval: anyObject.optional(),
  googleMaps: anyObject.optional(),
  codeExecution: anyObject.optional(),
  computerUse: anyObject.optional(),
  urlContext: anyObject.optional(),
  fileSearch: anyObject.optional(),
  mcpServers: z.array(anyObject).optional(),
  retrieval: anyObject.optional(),
  enterpriseWebSearch: anyObject.optional(),
});

const calling = z.strictObject({
  mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']),
  allowedFunctionNames: z.array(z.string()).min(1).optional(),
});

const generationConfig = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  topK: z.number().min(1).optional(),
  candidateCount: z.int().min(1).max(8).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  stopSequences: z.array(z.string()).max(5).optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  seed: z.int().optional(),
  responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).optional(),
  responseSchema: schema.optional(),
  responseJsonSchema: anyObject.optional(),
  responseModalities: z.array(z.enum(['TEXT', 'IMAGE', 'AUDIO'])).optional(),
  responseLogprobs: z.boolean().optional(),
  logprobs: z.int().min(0).max(20).optional(),
  enableEnhancedCivicAnswers: z.boolean().optional(),
  enableAffectiveDialog: z.boolean().optional(),
  audioTimestamp: z.boolean().optional(),
  speechConfig: anyObject.optional(),
  imageConfig: anyObject.optional(),
  mediaResolution: z.string().optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().min(-1).optional(),
      thinkingLevel: z
        .string()
        .regex(/^(?:minimal|low|medium|high)$/i)
        .optional(),
    })
    .optional(),
});

const requestSchema = z.strictObject({
  // It stands in the path, and in the message too.
  model: z.string().min(1).optional(),
  contents: z.array(content).min(1),
  systemInstruction: z
    .strictObject({ role: z.string().optional(), parts: z.array(z.strictObject({ text: z.string() })).min(1) })
    .optional(),
  tools: z.array(tool).optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: calling.optional(),
      retrievalConfig: anyObject.optional(),
      includeServerSideToolInvocations: z.boolean().optional(),
    })
    .optional(),
  generationConfig: generationConfig.optional(),
  safetySettings: z
    .array(z.strictObject({ category: z.string(), threshold: z.string(), method: z.string().optional() }))
    .optional(),
  serviceTier: z.string().optional(),
  store: z.boolean().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  cachedContent: z.string().optional(),
});
type GenerateContent = z.infer<typeof requestSchema>;

/** What is wrong between members that are right each for itself. */
function together(request: GenerateContent): Problem | undefined {
  return cacheProblem(request) ?? allowedNamesProblem(request) ?? functionTurns(request);
}

function cacheProblem({
  tools = [],
  toolConfig,
  cachedContent,
  systemInstruction,
}: GenerateContent): Problem | undefined {
  if (cachedContent === undefined) return undefined;
  if (systemInstruction === undefined && tools.length === 0 && toolConfig === undefined) return undefined;
  return problem('CachedContent can not be used with system_instruction, tools or tool_config.');
}

function allowedNamesProblem({ tools = [], toolConfig }: GenerateContent): Problem | undefined {
  const names = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
  const allowed = toolConfig?.functionCallingConfig?.allowedFunctionNames ?? [];
  const unknown = allowed.find((name) => !names.includes(name));
  if (unknown !== undefined) return problem(`allowed_function_names has ${unknown}, which is not declared`);
  if (allowed.length > 0 && toolConfig?.functionCallingConfig?.mode !== 'ANY')
    return problem('allowed_function_names may only be set with mode ANY');
  return undefined;
}

/** Right after the calls comes a turn with as many responses, of the same functions, and nothing else. */
function functionTurns({ contents }: GenerateContent): Problem | undefined {
  for (const [index, { parts }] of contents.entries()) {
    const responses = parts.flatMap(responseName);
    const calls = (contents[index - 1]?.parts ?? []).flatMap(callName);
    if (responses.length === 0 && calls.length === 0) continue;
    if (responses.toSorted().join('\n') !== calls.toSorted().join('\n') || parts.length !== responses.length)
      return problem(`contents[${index}]: the function responses do not answer the function calls of the turn before`);
  }
  return undefined;
}

function responseName(one: Part): readonly string[] {
  return 'functionResponse' in one ? [one.functionResponse.name] : [];
}

function callName(one: Part): readonly string[] {
  return 'functionCall' in one ? [one.functionCall.name] : [];
}
