import { asBoolean, asObject, asObjects, asString, entryOf, isJson, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { clientTools, effort, outputSchema, refuseContinued } from '../messages-content.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { messageItems, textItem } from './items.ts';

/** A messages request as responses. Throws UnsupportedByFormat for content that has no counterpart. */
export function responsesRequest(request: Json): Json {
  refuseContinued(request);
  const { instructions, items } = operator(request['system']);
  return present({
    model: request['model'],
    instructions,
    input: [...items, ...asObjects(request['messages']).flatMap(messageItems)],
    ...tooling(request),
    max_output_tokens: answerLimit(request['max_tokens']),
    temperature: request['temperature'],
    top_p: request['top_p'],
    metadata: metadata(asObject(request['metadata'])),
    stream: request['stream'],
    reasoning: reasoning(request),
    text: outputFormat(request),
  });
}

/** Responses refuses a smaller limit, and clients of messages ask for one token to see whether they may ask at all. */
const LEAST_ANSWER = 16;

function answerLimit(limit: unknown): unknown {
  return typeof limit === 'number' ? Math.max(limit, LEAST_ANSWER) : limit;
}

/** The system text as instructions; as a message when a part of it is marked for the cache, which instructions cannot be. */
function operator(system: unknown): { readonly instructions?: string; readonly items: readonly Json[] } {
  if (typeof system === 'string') return { instructions: system, items: [] };
  const texts = asObjects(system).filter(({ type }) => type === 'text');
  if (texts.length === 0) return { items: [] };
  if (texts.some((block) => isJson(block['cache_control']))) return { items: [textItem('system', texts)] };
  return { instructions: texts.map(({ text }) => asString(text) ?? '').join('\n'), items: [] };
}

function tooling(request: Json): Json {
  const tools = clientTools(request['tools']).map((tool) => ({
    type: 'function',
    ...present({ name: tool['name'], description: tool['description'], parameters: tool['input_schema'] }),
    // Otherwise the provider holds schemas to rules that messages does not have.
    strict: false,
  }));
  if (tools.length === 0) return {};
  const choice = asObject(request['tool_choice']);
  const alone = asBoolean(choice?.['disable_parallel_tool_use']);
  return present({
    tools,
    tool_choice: choice === undefined ? undefined : toolChoice(choice),
    parallel_tool_calls: alone === undefined ? undefined : !alone,
  });
}

const TOOL_CHOICES: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

function toolChoice(choice: Json): unknown {
  const type = asString(choice['type']) ?? '';
  return type === 'tool' ? { type: 'function', name: choice['name'] } : entryOf(TOOL_CHOICES, type);
}

/** The provider takes a map of strings. */
function metadata(given: Json | undefined): Json | undefined {
  if (given === undefined) return undefined;
  const entries = Object.entries(given).filter(([, value]) => typeof value === 'string');
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function reasoning(request: Json): Json | undefined {
  const type = asObject(request['thinking'])?.['type'];
  const wanted = effort(request);
  if (type === 'enabled' || type === 'adaptive') return { effort: wanted ?? 'high' };
  if (wanted === undefined) return undefined;
  throw new UnsupportedByFormat('output_config.effort needs thinking');
}

function outputFormat(request: Json): Json | undefined {
  const schema = outputSchema(request);
  return schema && { format: { type: 'json_schema', name: 'structured_output', schema } };
}
