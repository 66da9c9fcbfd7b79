import { asObject, asObjects, asString, entryOf, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { mergedTurns, withNamesApart, type Turn } from '../converse/content.ts';
import { outputConfig } from '../converse/output-config.ts';
import { toolConfig, type ToolChoice } from '../converse/tool-config.ts';
import { toolNames, type ToolNames } from '../converse/tool-names.ts';
import { blocksOf, clientTools, outputSchema, refuseContinued } from '../messages-content.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { cachePoints, type CachePoints } from './cache-points.ts';
import { converseContent } from './content.ts';

/** A messages request for Converse. Throws UnsupportedByFormat for what cannot be asked for there. */
export function converseRequest(request: Json): Json {
  refuseContinued(request);
  const list = asObjects(request['messages']);
  const names = namesIn(request);
  const points = cachePoints();
  const told = [request['system'], ...list.filter(isSystem).map(({ content }) => content)];
  const system = told.flatMap((content) =>
    blocksOf(content ?? []).flatMap((block) => points.after(systemText(block), block)),
  );
  const messages = withNamesApart(
    mergedTurns(list.filter((message) => !isSystem(message)).map((message) => turn(message, names, points))),
  );
  if (messages.length === 0) throw new UnsupportedByFormat('there is no message besides the system text');
  const schema = outputSchema(request);
  return present({
    messages,
    system: system.length === 0 ? undefined : system,
    inferenceConfig: inferenceConfig(request),
    toolConfig: tooling(request, names, messages, points),
    outputConfig: schema && outputConfig(schema),
    additionalModelRequestFields: modelFields(request),
  });
}

/** The names of all tools of the request, those of earlier calls included. */
export function namesIn(request: Json): ToolNames {
  const blocks = asObjects(request['messages']).flatMap(({ content }) => blocksOf(content));
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  const named = [...clientTools(request['tools']), ...calls].map(({ name }) => name);
  return toolNames(named.filter((name) => typeof name === 'string'));
}

function isSystem({ role }: Json): boolean {
  return role === 'system';
}

function systemText({ text }: Json): readonly Json[] {
  return asString(text) === undefined || text === '' ? [] : [{ text }];
}

function turn(message: Json, names: ToolNames, points: CachePoints): Turn {
  const role = asString(message['role']) ?? '';
  if (role !== 'user' && role !== 'assistant') {
    throw new UnsupportedByFormat(`a message with role ${role} has no counterpart in converse`);
  }
  const blocks = blocksOf(message['content']);
  return { role, content: blocks.flatMap((block) => points.after(converseContent(block, names), block)) };
}

function inferenceConfig(request: Json): Json {
  const free = thinks(request) ? {} : { temperature: request['temperature'], topP: request['top_p'] };
  return present({ maxTokens: request['max_tokens'], ...free, stopSequences: request['stop_sequences'] });
}

/** A model that thinks takes its own way: the provider refuses what would change how it draws its words. */
function thinks(request: Json): boolean {
  return asObject(request['thinking'])?.['type'] === 'enabled';
}

/** What Converse itself does not know, but the model does. */
function modelFields(request: Json): Json | undefined {
  const effort = asObject(request['output_config'])?.['effort'] ?? undefined;
  const fields = present({
    thinking: request['thinking'] ?? undefined,
    top_k: thinks(request) ? undefined : (request['top_k'] ?? undefined),
    output_config: effort === undefined ? undefined : { effort },
    metadata: request['metadata'] ?? undefined,
  });
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function tooling(request: Json, names: ToolNames, turns: readonly Turn[], points: CachePoints): Json | undefined {
  const entries = clientTools(request['tools']);
  const tools = entries.map(({ name, description, input_schema: schema, strict }) => ({
    name: names.sent(asString(name) ?? ''),
    description,
    schema,
    strict,
  }));
  const config = toolConfig(tools, toolChoice(asObject(request['tool_choice']), names), turns);
  if (config === undefined) return undefined;
  const specs = asObjects(config['tools']);
  return { ...config, tools: specs.flatMap((spec, index) => points.after([spec], entries[index] ?? {})) };
}

const TOOL_CHOICES: Readonly<Record<string, ToolChoice>> = { auto: 'auto', any: 'any', none: 'none' };

function toolChoice(choice: Json | undefined, { sent }: ToolNames): ToolChoice {
  if (choice?.['type'] === 'tool') return { name: sent(asString(choice['name']) ?? '') };
  return entryOf(TOOL_CHOICES, choice?.['type']);
}
