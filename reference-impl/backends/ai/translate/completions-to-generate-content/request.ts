import { asNumber, asObject, asObjects, asString, entryOf, pick, present, type Json } from '../../../json.ts';
import { thinkingTokens } from '../thinking.ts';
import { UnsupportedByFormat } from '../translation.ts';
import { contents, systemInstruction } from './conversation.ts';
import { fittedParameters } from './fitted-schema.ts';
import { normalisedSchema } from './schema.ts';

/** A chat completions request in the native form. Its model and whether it streams stand in the path, not here. */
export function generateContentRequest(request: Json): Json {
  refuseInexpressible(request);
  const messages = asObjects(request['messages']);
  const cachedContent = asString(request['cachedContent']);
  // What was cached has its own instructions and tools.
  const prelude =
    cachedContent === undefined
      ? { systemInstruction: systemInstruction(messages), ...tooling(request) }
      : { cachedContent };
  return present({
    contents: contents(messages),
    ...prelude,
    generationConfig: generationConfig(request),
    safetySettings: request['safetySettings'],
    labels: request['labels'],
  });
}

/** Requests whose answer would have another shape than the client expects. */
function refuseInexpressible(request: Json): void {
  if (asObjects(request['functions']).length > 0)
    throw new UnsupportedByFormat('functions is not supported; use tools');
  if (asObject(request['audio']) !== undefined) throw new UnsupportedByFormat('the provider has no audio output');
}

function tooling(request: Json): Json {
  const functionDeclarations = asObjects(request['tools']).map(declaration);
  if (functionDeclarations.length === 0) return {};
  const functionCallingConfig = callingConfig(request['tool_choice']);
  return { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig } };
}

function declaration(tool: Json): Json {
  const called = asObject(tool['function']);
  if (called === undefined) {
    throw new UnsupportedByFormat(`a tool of type ${asString(tool['type']) ?? ''} has no counterpart at the provider`);
  }
  const schema = asObject(called['parameters']);
  const parameters = schema && fittedParameters(normalisedSchema(schema));
  // An object without any member is refused: such a function takes nothing.
  const empty = Object.keys(asObject(parameters?.['properties']) ?? {}).length === 0;
  return present({
    name: called['name'],
    description: called['description'],
    parameters: empty ? undefined : parameters,
  });
}

const MODES: Readonly<Record<string, string>> = { none: 'NONE', required: 'ANY' };

function callingConfig(choice: unknown): Json {
  const named = asObject(choice);
  if (named === undefined) return { mode: entryOf(MODES, choice) ?? 'AUTO' };
  const name = asString(asObject(named['function'])?.['name']);
  if (name !== undefined) return { mode: 'ANY', allowedFunctionNames: [name] };
  throw new UnsupportedByFormat(`tool_choice ${asString(named['type']) ?? ''} has no counterpart at the provider`);
}

function generationConfig(request: Json): Json | undefined {
  const { stop } = request;
  const config = present({
    ...pick(request, SAMPLING),
    maxOutputTokens: asNumber(request['max_completion_tokens']) ?? asNumber(request['max_tokens']),
    stopSequences: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    ...responseForm(asObject(request['response_format'])),
    thinkingConfig: thinkingConfig(request),
  });
  return Object.keys(config).length === 0 ? undefined : config;
}

const SAMPLING = {
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  candidateCount: 'n',
  seed: 'seed',
};

function responseForm(format: Json | undefined): Json {
  const type = format?.['type'];
  if (type !== 'json_object' && type !== 'json_schema') return {};
  const schema = asObject(asObject(format?.['json_schema'])?.['schema']);
  const responseSchema = schema && normalisedSchema(schema);
  return { responseMimeType: 'application/json', ...(responseSchema && { responseSchema }) };
}

/** How hard to think: newer models take a level, the others a number of tokens. */
const LEVELS: Readonly<Record<string, string>> = {
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

function thinkingConfig(request: Json): Json | undefined {
  const explicit = asObject(request['thinkingConfig']) ?? asObject(request['thinking_config']);
  if (explicit !== undefined) return explicit;
  const effort = request['reasoning_effort'];
  const levels = /(?:^|\/)gemini-3/.test(asString(request['model']) ?? '');
  const amount = levels ? { thinkingLevel: entryOf(LEVELS, effort) } : { thinkingBudget: thinkingTokens(effort) };
  return Object.values(amount)[0] === undefined ? undefined : { ...amount, includeThoughts: true };
}
