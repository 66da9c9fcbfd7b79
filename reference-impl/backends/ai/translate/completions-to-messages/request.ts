import { asNumber, asObject, asObjects, asString, entryOf, isJson, present } from '../../json.ts';
import type { Json } from '../../json.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { conversation, systemText } from './conversation.ts';
import { THINKING_BUDGETS } from '../thinking-budgets.ts';

/** What the provider must be told and a client need not say. */
const DEFAULT_MAX_TOKENS = 4096;

/** A chat completions request as messages. Throws UnsupportedByFormat for what cannot be asked for in messages. */
export function messagesRequest(request: Json): Json {
  refuseInexpressible(request);
  const list = asObjects(request['messages']);
  const messages = conversation(list);
  if (messages.length === 0) throw new UnsupportedByFormat('there is no message besides the system text');
  const maxTokens = asNumber(request['max_completion_tokens']) ?? asNumber(request['max_tokens']) ?? DEFAULT_MAX_TOKENS;
  const user = asString(request['user']);
  const thoughts = mayThink(request, list) ? thinking(request['reasoning_effort'], maxTokens) : undefined;
  return present({
    model: request['model'],
    system: systemText(list),
    messages,
    max_tokens: maxTokens,
    ...tooling(request),
    stop_sequences: stopSequences(request['stop']),
    ...(thoughts === undefined ? messagesSampling(request) : {}),
    metadata: user === undefined ? undefined : { user_id: user },
    stream: request['stream'] ?? undefined,
    thinking: thoughts,
    output_config: outputConfig(asObject(request['response_format'])),
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
  return { temperature: request['temperature'] ?? undefined, top_p: request['top_p'] ?? undefined };
}

function stopSequences(stop: unknown): unknown {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) ? stop : undefined;
}

/** The provider lets no model think that must call a tool, or whose call is answered without what it thought: completions do not say it. */
function mayThink(request: Json, messages: readonly Json[]): boolean {
  const choice = request['tool_choice'];
  if (choice === 'required' || asObject(choice) !== undefined) return false;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return !messages.slice(last + 1).some(({ role }) => role === 'tool');
}

/** Less is no thinking: the provider takes no smaller budget. */
const LEAST_BUDGET = 1024;

function thinking(effort: unknown, maxTokens: number): Json | undefined {
  const wanted = entryOf(THINKING_BUDGETS, effort);
  if (wanted === undefined) return undefined;
  // The budget is part of max_tokens.
  const budget = Math.min(wanted, maxTokens - 1);
  return budget < LEAST_BUDGET ? undefined : { type: 'enabled', budget_tokens: budget };
}

function outputConfig(format: Json | undefined): Json | undefined {
  const schema = outputSchema(format);
  return schema && { format: { type: 'json_schema', schema: closed(schema) } };
}

/** Any object at all (`json_object`) cannot be asked for. */
function outputSchema(format: Json | undefined): Json | undefined {
  return format?.['type'] === 'json_schema' ? asObject(asObject(format['json_schema'])?.['schema']) : undefined;
}

/** The provider takes no schema with an object that may have other members. */
function closed(schema: Json): Json {
  const members = Object.entries(schema).map(([name, value]) => [name, closedWithin(value)] as const);
  return { ...Object.fromEntries(members), ...(schema['type'] === 'object' && { additionalProperties: false }) };
}

function closedWithin(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedWithin);
  return isJson(value) ? closed(value) : value;
}
