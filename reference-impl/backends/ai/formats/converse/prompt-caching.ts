import type { BackendAI } from '../../../../resources/proxy-policy/fields/ai/backend-ai.ts';
import { asList, asObject, asObjects, asString, type Json } from '../../../json.ts';
import { CACHE_POINT, isCachePoint, MOST_CACHE_POINTS } from './cache-point.ts';

type PromptCaching = NonNullable<BackendAI['promptCaching']>;

/**
 * The Converse request with the cache points that the policy wants (CACHE-001 to CACHE-012); unchanged for models that
 * have no cache, and for prompts it would not pay for.
 */
export function withCachePoints(request: Json, model: string, policy: PromptCaching | undefined): Json {
  if (policy === undefined || !hasCache(model)) return request;
  const {
    cacheSystem = true,
    cacheMessages = true,
    cacheTools = false,
    minTokens = 1024,
    cacheMessageOffset = 0,
  } = policy;
  if (!reaches(minTokens, request)) return request;
  const edits: readonly (readonly [wanted: boolean, edit: (request: Json) => Json])[] = [
    [cacheSystem, afterSystem],
    [cacheMessages, (now) => inMessages(now, cacheMessageOffset)],
    [cacheTools, afterTools],
  ];
  return edits.reduce((now, [wanted, edit]) => (wanted && hasRoom(now) ? edit(now) : now), request);
}

/** The families of models with a cache; the first ones of theirs had none. */
function hasCache(model: string): boolean {
  if (model.includes('anthropic.claude')) return !/anthropic\.claude-(?:instant|v[12]\b)/.test(model);
  return model.includes('amazon.nova') || model.includes(':application-inference-profile/');
}

/** CACHE-009, CACHE-010, CACHE-011: an estimate of 1.3 tokens per word, in whole numbers. */
function reaches(minTokens: number, request: Json): boolean {
  const content = asObjects(request['messages']).flatMap((message) => asList(message['content']));
  const texts = asObjects([...asList(request['system']), ...content]).map((part) => asString(part['text']) ?? '');
  const words = texts.reduce((sum, text) => sum + wordsIn(text), 0);
  return words * 13 >= minTokens * 10;
}

function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** The client may have set cache points of its own. */
function hasRoom(request: Json): boolean {
  const content = asObjects(request['messages']).flatMap((message) => asList(message['content']));
  const parts = [...asList(request['system']), ...content, ...toolsOf(request)];
  return parts.filter(isCachePoint).length < MOST_CACHE_POINTS;
}

function afterSystem(request: Json): Json {
  const system = asList(request['system']);
  return system.length === 0 ? request : { ...request, system: withPoint(system) };
}

/** CACHE-007, CACHE-008: counted from the second-to-last message backwards, at most to the first. */
function inMessages(request: Json, offset: number): Json {
  const messages = asObjects(request['messages']);
  if (messages.length < 2) return request;
  const at = Math.max(0, messages.length - 2 - offset);
  const marked = messages.map((message, index) =>
    index === at ? { ...message, content: withPoint(asList(message['content'])) } : message,
  );
  return { ...request, messages: marked };
}

function afterTools(request: Json): Json {
  const tools = toolsOf(request);
  if (tools.length === 0) return request;
  return { ...request, toolConfig: { ...asObject(request['toolConfig']), tools: withPoint(tools) } };
}

function toolsOf(request: Json): readonly unknown[] {
  return asList(asObject(request['toolConfig'])?.['tools']);
}

function withPoint(parts: readonly unknown[]): readonly unknown[] {
  return isCachePoint(parts.at(-1)) ? parts : [...parts, CACHE_POINT];
}
