import { z } from 'zod';
import { parseJsonObject, type Json } from '../../../../json.ts';
import { answerSchemaProblem } from '../answer-schema.ts';
import type { Problem } from '../format.ts';
import { anyObject, problem, schemaProblem } from '../schema.ts';

// Members and their bounds: the API reference of Amazon Bedrock Runtime, actions Converse and ConverseStream, and their data types. A member
// that is null is one that is not there (the protocol `restJson1` leaves it out).

/** What the provider says to a Converse request; undefined when it takes it. */
export function converseProblem(request: Json): Problem | undefined {
  return schemaProblem(requestSchema, request) ?? together(requestSchema.parse(request));
}

const someText = z.string().regex(/\S/, 'the text is blank');
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, _ or -');
const bytes = z.base64().min(1);

const text = z.strictObject({ text: someText });
const cachePoint = z.strictObject({
  cachePoint: z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).nullish() }),
});
const image = z.strictObject({
  image: z.strictObject({
    format: z.enum(['png', 'jpeg', 'gif', 'webp']),
    source: z.strictObject({ bytes }),
  }),
});
const document = z.strictObject({
  document: z.strictObject({
    format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
    name: z.string().regex(/^(?!.* {2})[A-Za-z0-9 \-()[\]]{1,200}$/, 'expected letters, digits, single spaces, -()[]'),
    source: z.union([z.strictObject({ bytes }), z.strictObject({ text: someText })]),
  }),
});
const toolUse = z.strictObject({ toolUse: z.strictObject({ toolUseId: name, name, input: anyObject }) });
const toolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: name,
    content: z.array(z.union([text, image, document, z.strictObject({ json: anyObject })])),
    status: z.enum(['success', 'error']).nullish(),
  }),
});
const reasoning = z.strictObject({
  reasoningContent: z.union([
    z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().min(1).nullish() }) }),
    z.strictObject({ redactedContent: z.base64() }),
  ]),
});

const message = z.discriminatedUnion('role', [
  z.strictObject({
    role: z.literal('user'),
    content: z.array(z.union([text, image, document, toolResult, cachePoint])).min(1),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.array(z.union([text, toolUse, reasoning, cachePoint])).min(1),
  }),
]);

const toolSpec = z.strictObject({
  toolSpec: z.strictObject({
    name,
    description: z.string().min(1).nullish(),
    inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
    strict: z.boolean().nullish(),
  }),
});
const empty = z.strictObject({});
const toolChoice = z.union([
  z.strictObject({ auto: empty }),
  z.strictObject({ any: empty }),
  z.strictObject({ tool: z.strictObject({ name }) }),
]);

const requestSchema = z.strictObject({
  messages: z.array(message).min(1),
  system: z.array(z.union([text, cachePoint])).nullish(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).nullish(),
      temperature: z.number().min(0).max(1).nullish(),
      topP: z.number().min(0).max(1).nullish(),
      stopSequences: z.array(z.string().regex(/\S/, 'a stop sequence is blank')).max(2500).nullish(),
    })
    .nullish(),
  toolConfig: z
    .strictObject({ tools: z.array(z.union([toolSpec, cachePoint])).min(1), toolChoice: toolChoice.nullish() })
    .nullish(),
  guardrailConfig: z
    .strictObject({
      guardrailIdentifier: z.string().min(1),
      guardrailVersion: z.string().regex(/^(?:[1-9]\d{0,7}|DRAFT)$/, 'expected a number or DRAFT'),
      trace: z.enum(['enabled', 'disabled', 'enabled_full']).nullish(),
    })
    .nullish(),
  outputConfig: z
    .strictObject({
      textFormat: z.strictObject({
        type: z.literal('json_schema'),
        structure: z.strictObject({
          jsonSchema: z.strictObject({
            schema: z.string().superRefine((written, context) => {
              const why = answerSchemaProblem(parseJsonObject(written));
              if (why !== undefined) context.addIssue({ code: 'custom', message: why });
            }),
            name: z.string().nullish(),
            description: z.string().nullish(),
          }),
        }),
      }),
    })
    .nullish(),
  additionalModelRequestFields: anyObject.nullish(),
  additionalModelResponseFieldPaths: z.array(z.string()).nullish(),
  requestMetadata: z.record(z.string().min(1), z.string()).nullish(),
  performanceConfig: z.strictObject({ latency: z.enum(['standard', 'optimized']) }).nullish(),
});
type Converse = z.infer<typeof requestSchema>;

const MOST_CACHE_POINTS = 4;

/** What is wrong between members that are right each for itself. */
function together({ messages, system, toolConfig }: Converse): Problem | undefined {
  return (
    rolesProblem(messages) ??
    cachePointsProblem([...(system ?? []), ...messages.flatMap(partsOf), ...(toolConfig?.tools ?? [])]) ??
    documentsProblem(messages) ??
    toolsProblem(toolConfig ?? undefined, messages) ??
    toolTurns(messages)
  );
}

function rolesProblem(messages: Converse['messages']): Problem | undefined {
  const wrong = messages.findIndex(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'));
  if (wrong === -1) return undefined;
  return problem('A conversation must alternate between user and assistant roles, the user first.');
}

function cachePointsProblem(parts: readonly object[]): Problem | undefined {
  if (parts.filter((part) => 'cachePoint' in part).length <= MOST_CACHE_POINTS) return undefined;
  return problem(`A request has at most ${MOST_CACHE_POINTS} cache points.`);
}

/** Of one request. */
function documentsProblem(messages: Converse['messages']): Problem | undefined {
  const names = messages.flatMap(partsOf).flatMap((part) => {
    if ('document' in part) return [part.document.name];
    return 'toolResult' in part ? part.toolResult.content.flatMap(nameOf) : [];
  });
  const twice = names.find((one, index) => names.indexOf(one) !== index);
  return twice === undefined ? undefined : problem(`Messages contain two documents of the name ${twice}.`);
}

function nameOf(part: ResultPart): readonly string[] {
  return 'document' in part ? [part.document.name] : [];
}

function toolsProblem(
  toolConfig: NonNullable<Converse['toolConfig']> | undefined,
  messages: Converse['messages'],
): Problem | undefined {
  if (toolConfig === undefined) {
    const uses = messages.flatMap(partsOf).some((part) => 'toolUse' in part || 'toolResult' in part);
    return uses ? problem('toolConfig must be defined when messages use tools.') : undefined;
  }
  const tools = toolConfig.tools.flatMap((tool) => ('toolSpec' in tool ? [tool.toolSpec.name] : []));
  if (new Set(tools).size < tools.length) return problem('toolConfig has two tools of one name.');
  const chosen = toolConfig.toolChoice ?? undefined;
  if (chosen !== undefined && 'tool' in chosen && !tools.includes(chosen.tool.name))
    return problem(`toolChoice names ${chosen.tool.name}, which is not among the tools.`);
  return undefined;
}

/** Every call has its result in the turn right after it, and nothing else has. */
function toolTurns(messages: Converse['messages']): Problem | undefined {
  let open: readonly string[] = [];
  for (const [index, turn] of messages.entries()) {
    const results = partsOf(turn).flatMap((part) => ('toolResult' in part ? [part.toolResult.toolUseId] : []));
    const same = results.length === open.length && results.every((id) => open.includes(id));
    if (!same) return problem(`The toolResult blocks of messages.${index} are not those of the toolUse blocks before.`);
    open = partsOf(turn).flatMap((part) => ('toolUse' in part ? [part.toolUse.toolUseId] : []));
  }
  return open.length === 0 ? undefined : problem('The last message calls tools.');
}

type Part = Converse['messages'][number]['content'][number];
type ResultPart = Extract<Part, { toolResult: unknown }>['toolResult']['content'][number];

function partsOf({ content }: Converse['messages'][number]): readonly Part[] {
  return content;
}
