import { asObject, asObjects, asString, pick, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { conversation } from './conversation.ts';

/** A responses request as chat completions. Throws UnsupportedByFormat for what only a provider with a memory can do. */
export function completionsRequest(request: Json): Json {
  refuseInexpressible(request);
  const effort = asString(asObject(request['reasoning'])?.['effort']);
  return present({
    model: request['model'],
    messages: conversation(request['instructions'], request['input']),
    ...tooling(request),
    ...pick(request, SAME_IN_BOTH),
    reasoning_effort: effort === 'none' ? undefined : effort,
    response_format: responseFormat(asObject(asObject(request['text'])?.['format'])),
    ...streaming(request['stream']),
  });
}

function refuseInexpressible(request: Json): void {
  for (const member of KEPT_BY_PROVIDER) {
    if (request[member] !== undefined && request[member] !== null) {
      throw new UnsupportedByFormat(`${member} has no counterpart in chat completions`);
    }
  }
  if (request['background'] === true) throw new UnsupportedByFormat('chat completions cannot run in the background');
}

/** Chat completions have no memory: without what these name the answer would be to another question. */
const KEPT_BY_PROVIDER = ['previous_response_id', 'conversation', 'prompt'];

const SAME_IN_BOTH = {
  max_completion_tokens: 'max_output_tokens',
  temperature: 'temperature',
  top_p: 'top_p',
  user: 'user',
  service_tier: 'service_tier',
};

/**
 * Only functions have a counterpart; tools that the provider would run are left out. What a client may say to be null must be left out here
 * (ROUTES-012).
 */
function tooling(request: Json): Json {
  const tools = asObjects(request['tools'])
    .filter((entry) => entry['type'] === 'function')
    .map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: present({
        name,
        description: description ?? undefined,
        parameters: parameters ?? undefined,
        strict: strict ?? undefined,
      }),
    }));
  if (tools.length === 0) return {};
  return present({
    tools,
    tool_choice: toolChoice(request['tool_choice']),
    parallel_tool_calls: request['parallel_tool_calls'] ?? undefined,
  });
}

function toolChoice(choice: unknown): unknown {
  if (choice === 'auto' || choice === 'required' || choice === 'none') return choice;
  const named = asObject(choice);
  return named?.['type'] === 'function' ? { type: 'function', function: { name: named['name'] } } : undefined;
}

function responseFormat(format: Json | undefined): Json | undefined {
  if (format?.['type'] === 'json_object') return { type: 'json_object' };
  if (format?.['type'] !== 'json_schema') return undefined;
  const { type: _, ...schema } = format;
  return { type: 'json_schema', json_schema: schema };
}

function streaming(stream: unknown): Json {
  if (typeof stream !== 'boolean') return {};
  return stream ? { stream, stream_options: { include_usage: true } } : { stream };
}
