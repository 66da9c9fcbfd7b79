import { asNumber, asObject, asObjects, asString, entryOf, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { outputConfig } from '../converse/output-config.ts';
import { toolConfig, type Tool, type ToolChoice } from '../converse/tool-config.ts';
import { toolNames, type ToolNames } from '../converse/tool-names.ts';
import { onlyJson } from '../answer-schema.ts';
import { textContent } from '../converse/content.ts';
import { stopWords, temperatureUpToOne } from '../sampling.ts';
import { thinkingFor, tokenLimit, type Thinking } from '../thinking.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { conversation, systemContent } from './conversation.ts';

/** A chat completions request for Converse. Throws UnsupportedByFormat for what cannot be asked for there. */
export function converseRequest(request: Json): Json {
  refuseInexpressible(request);
  const list = asObjects(request['messages']);
  const names = namesIn(request);
  const messages = conversation(list, names);
  if (messages.length === 0) throw new UnsupportedByFormat('there is no message besides the system text');
  const format = asObject(request['response_format']);
  const system = [...systemContent(list), ...textContent(onlyJson(format) ?? '')];
  const thoughts = thinkingFor(request);
  return present({
    messages,
    system: system.length === 0 ? undefined : system,
    inferenceConfig: inferenceConfig(request, thoughts),
    toolConfig: toolConfig(toolsOf(request, names), toolChoice(request['tool_choice'], names), messages),
    outputConfig: schemaConfig(format),
    additionalModelRequestFields: thoughts && { thinking: thoughts.thinking },
  });
}

/** The names of all tools of the request, those of earlier calls included. */
export function namesIn(request: Json): ToolNames {
  const calls = asObjects(request['messages']).flatMap((message) => asObjects(message['tool_calls']));
  const called = [...asObjects(request['tools']), ...calls].map((entry) => asObject(entry['function'])?.['name']);
  return toolNames(called.filter((name) => typeof name === 'string'));
}

/** Requests whose answer would have another shape than the client expects. */
function refuseInexpressible(request: Json): void {
  const choices = asNumber(request['n']) ?? 1;
  if (choices > 1) throw new UnsupportedByFormat('converse has one choice per request: n must be 1');
  if (asObjects(request['functions']).length > 0)
    throw new UnsupportedByFormat('functions is not supported; use tools');
  if (asObject(request['audio']) !== undefined) throw new UnsupportedByFormat('converse has no audio output');
}

/** A model that thinks draws its words its own way: the provider refuses what would change it. */
function inferenceConfig(request: Json, thoughts: Thinking | undefined): Json | undefined {
  const { stop, temperature, top_p: topP } = request;
  const sampling = { temperature: temperatureUpToOne(temperature), topP: topP ?? undefined };
  const config = present({
    maxTokens: tokenLimit(request) ?? thoughts?.maxTokens,
    ...(thoughts === undefined ? sampling : {}),
    stopSequences: stopWords(stop),
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

function toolsOf(request: Json, { sent }: ToolNames): readonly Tool[] {
  return asObjects(request['tools']).map((entry) => {
    const called = asObject(entry['function']);
    if (called === undefined) {
      throw new UnsupportedByFormat(`a tool of type ${asString(entry['type']) ?? ''} has no counterpart in converse`);
    }
    const { description, parameters: schema, strict } = called;
    return { name: sent(asString(called['name']) ?? ''), description, schema, strict };
  });
}

const TOOL_CHOICES: Readonly<Record<string, ToolChoice>> = { auto: 'auto', required: 'any', none: 'none' };

function toolChoice(choice: unknown, { sent }: ToolNames): ToolChoice {
  const named = asObject(choice);
  if (named === undefined) return entryOf(TOOL_CHOICES, choice);
  const name = asString(asObject(named['function'])?.['name']);
  if (name !== undefined) return { name: sent(name) };
  throw new UnsupportedByFormat(`tool_choice ${asString(named['type']) ?? ''} has no counterpart in converse`);
}

function schemaConfig(format: Json | undefined): Json | undefined {
  const asked = format?.['type'] === 'json_schema' ? asObject(format['json_schema']) : undefined;
  const schema = asObject(asked?.['schema']);
  return schema && outputConfig(schema, asString(asked?.['name']), asString(asked?.['description']));
}
