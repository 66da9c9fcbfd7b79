import { asNumber, asObject, asObjects, asString, entryOf, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { answerSchema, onlyJson } from '../answer-schema.ts';
import { stopWords, temperatureUpToOne } from '../sampling.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { thinkingFor, tokenLimit } from '../thinking.ts';
import { conversation, systemText } from './conversation.ts';

/** What the provider must be told and a client need not say. */
const DEFAULT_MAX_TOKENS = 4096;

/** A chat completions request as messages. Throws UnsupportedByFormat for what cannot be asked for in messages. */
export function messagesRequest(request: Json): Json {
  refuseInexpressible(request);
  const list = asObjects(request['messages']);
  const messages = conversation(list);
  if (messages.length === 0) throw new UnsupportedByFormat('there is no message besides the system text');
  const user = asString(request['user']);
  const thoughts = thinkingFor(request);
  const format = asObject(request['response_format']);
  return present({
    model: request['model'],
    system: joinTexts([systemText(list), onlyJson(format)]),
    messages,
    max_tokens: tokenLimit(request) ?? thoughts?.maxTokens ?? DEFAULT_MAX_TOKENS,
    ...tooling(request),
    stop_sequences: stopWords(request['stop']),
    ...(thoughts === undefined ? messagesSampling(request) : {}),
    metadata: user === undefined ? undefined : { user_id: user },
    stream: request['stream'] ?? undefined,
    thinking: thoughts?.thinking,
    output_config: outputConfig(format),
  });
}

/** Requests whose answer would have another shape than the client expects. */
function refuseInexpressible(request: Json): void {
  const choices = asNumber(request['n']) ?? 1;
  if (choices > 1) throw new UnsupportedByFormat('messages has one choice per request: n must be 1');
  if (asObjects(request['functions']).length > 0)
    throw new UnsupportedByFormat('functions is not supported; use tools');
  if (asObject(request['audio']) !== undefined) throw new UnsupportedByFormat('messages has no audio output');
}

function tooling(request: Json): Json {
  const tools = asObjects(request['tools']).map(tool);
  if (tools.length === 0) return {};
  return present({ tools, tool_choice: toolChoice(request['tool_choice'], request['parallel_tool_calls'] === false) });
}

function tool(entry: Json): Json {
  const called = asObject(entry['function']);
  if (called === undefined) {
    throw new UnsupportedByFormat(`a tool of type ${asString(entry['type']) ?? ''} has no counterpart in messages`);
  }
  return present({
    name: called['name'],
    description: called['description'],
    input_schema: called['parameters'] ?? { type: 'object', properties: {} },
  });
}

const TOOL_CHOICES: Readonly<Record<string, string>> = { auto: 'auto', required: 'any', none: 'none' };

function toolChoice(choice: unknown, oneAtATime: boolean): Json | undefined {
  const named = asObject(choice);
  const single = oneAtATime ? { disable_parallel_tool_use: true } : {};
  if (named !== undefined) return { type: 'tool', name: chosenFunction(named), ...single };
  const type = entryOf(TOOL_CHOICES, choice);
  if (type === 'none') return { type };
  if (type === undefined && !oneAtATime) return undefined;
  return { type: type ?? 'auto', ...single };
}

function chosenFunction(choice: Json): string {
  const name = asString(asObject(choice['function'])?.['name']);
  if (name !== undefined) return name;
  throw new UnsupportedByFormat(`tool_choice ${asString(choice['type']) ?? ''} has no counterpart in messages`);
}

/** A model that thinks draws its words its own way: the provider refuses what would change it. */
function messagesSampling(request: Json): Json {
  return { temperature: temperatureUpToOne(request['temperature']), top_p: request['top_p'] ?? undefined };
}

function joinTexts(texts: readonly (string | undefined)[]): string | undefined {
  const said = texts.filter((text) => text !== undefined);
  return said.length === 0 ? undefined : said.join('\n');
}

function outputConfig(format: Json | undefined): Json | undefined {
  const schema = format?.['type'] === 'json_schema' ? asObject(asObject(format['json_schema'])?.['schema']) : undefined;
  return schema && { format: { type: 'json_schema', schema: answerSchema(schema) } };
}
