import type { z } from 'zod';
import { completionChunkSchema, completionSchema } from '../../steps/llm/form/completions.ts';
import { lacksOf } from '../../steps/llm/form/lacks.ts';
import { messageEventSchemas, messageSchema } from '../../steps/llm/form/messages.ts';
import {
  converseSchema,
  embeddingsSchema,
  generateContentSchema,
  imagesSchema,
  modelListSchema,
  refusedContentSchema,
  rerankSchema,
  tokenCountSchema,
} from '../../steps/llm/form/others.ts';
import { responseEventSchemas, responseSchema } from '../../steps/llm/form/responses.ts';
import { eventsOf } from '../../steps/llm/sse-events.ts';
import { isList, isObject, type JsonObject } from '../../values/json.ts';
import type { ConcreteCase } from '../concrete-case.ts';
import type { Finding } from './rule.ts';

/** What the provider of a model answers in a case is a whole object of its format: no proxy has to take less. */
export function providersAnswerInFull(given: ConcreteCase): readonly Finding[] {
  const providers = providersOf(given);
  const free = PASSES_ANYTHING.test(JSON.stringify(given.config));
  return providers.flatMap((name) => {
    const peer = given.peers[name];
    if (peer === undefined || !['http', 'llm'].includes(String(peer['kind']))) return [];
    const wrong = repliesOf(peer).flatMap((reply) => replyLacks(reply, peer, free))[0];
    if (wrong === undefined) return [];
    return [
      { at: [...given.at, 'peers', name], key: 'key' as const, message: `peer ${name} answers ${wrong}; ${REMEDY}` },
    ];
  });
}

const REMEDY =
  'let it be built: { kind: llm, format: Completions, takes: anything, reply: { text: hello, usage: { input: 3, output: 4 } } }, with `with` for members beyond';

/** Routes of these types want no format. */
const PASSES_ANYTHING = /"(?:Passthrough|Detect|Realtime)"/;

/** Peers that stand for a provider: named by a backend of models, or by a model. */
function providersOf({ config, peers }: ConcreteCase): readonly string[] {
  const places = config.flatMap(({ kind, spec }) => {
    if (!isObject(spec)) return [];
    if (kind === 'ProxyModel') return [spec['baseURL']];
    return kind === 'ProxyBackend' ? [spec['ai']] : [];
  });
  const text = JSON.stringify(places);
  return Object.keys(peers).filter(
    (name) => text.includes(`\${peers.${name}.`) || new RegExp(`"(?:peer|name)":"${name}"`).test(text),
  );
}

function repliesOf(peer: JsonObject): readonly JsonObject[] {
  const lanes = [peer, ...(isList(peer['on']) ? peer['on'].filter(isObject) : [])];
  const replies = lanes.flatMap((lane) => [
    ...(isObject(lane['reply']) ? [lane['reply']] : []),
    ...(isList(lane['replies']) ? lane['replies'].filter(isObject) : []),
  ]);
  // Without any an http peer answers with its name.
  return replies.length === 0 && peer['kind'] === 'http' ? [{}] : replies;
}

function replyLacks(reply: JsonObject, { kind }: JsonObject, free: boolean): readonly string[] {
  const { status = 200, json, body, chunks, raw, echo, fault, fail } = reply;
  if ((typeof status === 'number' && (status < 200 || status > 299)) || fail !== undefined || fault !== undefined)
    return [];
  if (json !== undefined) return answerLacks(json);
  const text = textOf(isList(chunks) ? chunks : [body]);
  if (text === undefined) {
    const bare =
      kind === 'http' && body === undefined && chunks === undefined && raw === undefined && echo === undefined;
    return bare && !free ? ['its name, which is no answer of a provider'] : [];
  }
  const answer = jsonOf(text);
  return answer === undefined ? streamLacks(text) : answerLacks(answer);
}

/** Undefined where there are bytes that are no text. */
function textOf(pieces: readonly unknown[]): string | undefined {
  const texts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    if (isObject(piece) && 'gate' in piece) return '';
    return isObject(piece) && '~fill' in piece ? 'x' : undefined;
  });
  return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // no JSON on purpose, or events
  }
}

function answerLacks(json: unknown): readonly string[] {
  if (!isObject(json) || isObject(json['error'])) return [];
  const [, name, schema] = DOCUMENTS.find(([is]) => is(json)) ?? [];
  if (schema === undefined || name === undefined) return [`a document of no format it knows`];
  return lacksOf(schema, json).map((lack) => `no complete ${name}: ${lack}`);
}

/** Documents by what tells them apart. */
const DOCUMENTS: readonly (readonly [(json: JsonObject) => boolean, string, z.ZodType])[] = [
  [(json) => 'choices' in json || json['object'] === 'chat.completion', 'chat completion', completionSchema],
  [(json) => json['type'] === 'message', 'message', messageSchema],
  [(json) => isList(json['output']) || json['object'] === 'response', 'response', responseSchema],
  [(json) => isObject(json['output']) || 'stopReason' in json, 'answer to Converse', converseSchema],
  [(json) => 'promptFeedback' in json, 'refusal of generateContent', refusedContentSchema],
  [(json) => 'candidates' in json, 'answer to generateContent', generateContentSchema],
  [(json) => 'results' in json, 'rerank', rerankSchema],
  [(json) => isList(json['data']) && isModels(json['data']), 'list of models', modelListSchema],
  [(json) => 'created' in json && 'data' in json, 'list of images', imagesSchema],
  [(json) => 'data' in json, 'list of embeddings', embeddingsSchema],
  [(json) => Object.keys(json).join() === 'input_tokens', 'count of tokens', tokenCountSchema],
];

function isModels(data: readonly unknown[]): boolean {
  return data.some((one) => isObject(one) && (one['object'] === 'model' || one['type'] === 'model'));
}

function streamLacks(text: string): readonly string[] {
  return eventsOf(text).flatMap(({ data }) => {
    if (!isObject(data) || 'error' in data) return [];
    const [, schema] = EVENTS.find(([is]) => is(data)) ?? [];
    return schema === undefined ? [] : lacksOf(schema(data), data).map((lack) => `an event that is not whole: ${lack}`);
  });
}

const EVENTS: readonly (readonly [(data: JsonObject) => boolean, (data: JsonObject) => z.ZodType])[] = [
  [
    (data) => String(data['type']) in messageEventSchemas,
    (data) => messageEventSchemas[String(data['type'])] ?? messageSchema,
  ],
  [
    (data) => String(data['type']) in responseEventSchemas,
    (data) => responseEventSchemas[String(data['type'])] ?? responseSchema,
  ],
  [(data) => 'candidates' in data, () => generateContentSchema],
  [(data) => 'choices' in data || 'usage' in data, () => completionChunkSchema],
];
