import { asBoolean, asObject, asObjects, asString, entryOf, isJson, present } from '../../../json.ts';
import type { Json } from '../../../json.ts';
import {
  blocksOf,
  clientTools,
  effort,
  imageUrl,
  outputSchema,
  pdfFile,
  refuseContinued,
  wordsOf,
} from '../messages-content.ts';
import { UnsupportedByFormat } from '../translation.ts';

/** A messages request as chat completions. Throws UnsupportedByFormat for content that has no counterpart. */
export function completionsRequest(request: Json): Json {
  refuseContinued(request);
  const breakpoints = takesBreakpoints(request['model']);
  const user = asString(asObject(request['metadata'])?.['user_id']);
  return present({
    model: request['model'],
    messages: [
      ...systemMessages(request['system'], breakpoints),
      ...asObjects(request['messages']).flatMap((message) => conversationMessages(message, breakpoints)),
    ],
    ...tooling(request),
    max_completion_tokens: request['max_tokens'],
    stop: request['stop_sequences'],
    temperature: request['temperature'],
    top_p: request['top_p'],
    user,
    ...streaming(request),
    reasoning_effort: reasoningEffort(request),
    response_format: responseFormat(request),
  });
}

function systemMessages(system: unknown, breakpoints: boolean): readonly Json[] {
  if (typeof system === 'string') return [{ role: 'system', content: system }];
  const content = textParts(asObjects(system), breakpoints);
  return content.length === 0 ? [] : [{ role: 'system', content }];
}

/** One message may become several: results of tools are messages of their own here. */
function conversationMessages(message: Json, breakpoints: boolean): readonly Json[] {
  const blocks = blocksOf(message['content']);
  const role = asString(message['role']);
  if (role === 'user') return userMessages(blocks, breakpoints);
  if (role === 'assistant') return assistantMessage(blocks, breakpoints);
  if (role === 'system') return [{ role, content: textParts(blocks, breakpoints) }];
  throw new UnsupportedByFormat(`a message with role ${role ?? ''} has no counterpart in chat completions`);
}

function userMessages(blocks: readonly Json[], breakpoints: boolean): readonly Json[] {
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const content = [
    // A tool message has only text, so pictures a tool made come after it.
    ...results.flatMap((result) => asObjects(result['content']).filter((part) => wordsOf(part) === undefined)),
    ...blocks.filter((block) => block['type'] !== 'tool_result'),
  ].flatMap((block) => userPart(block, breakpoints));
  return [...results.map(toolMessage), ...(content.length === 0 ? [] : [{ role: 'user', content }])];
}

/** That a tool failed is said in words: a tool message has no member for it. */
function toolMessage(result: Json): Json {
  const { content } = result;
  const failed = result['is_error'] === true;
  const told = typeof content === 'string' ? content : textParts(asObjects(content), false);
  const text = told.length === 0 ? '' : told;
  return { role: 'tool', tool_call_id: result['tool_use_id'], content: failed ? asFailure(text) : text };
}

const FAILED = 'The tool failed.';

function asFailure(told: string | readonly Json[]): string | readonly Json[] {
  if (typeof told !== 'string') return [{ type: 'text', text: FAILED }, ...told];
  return told === '' ? FAILED : `${FAILED}\n${told}`;
}

function userPart(block: Json, breakpoints: boolean): readonly Json[] {
  if (wordsOf(block) !== undefined) return textParts([block], breakpoints);
  const marks = breakpoint(block, breakpoints);
  const url = block['type'] === 'image' ? imageUrl(block) : undefined;
  if (url !== undefined) return [{ type: 'image_url', image_url: { url }, ...marks }];
  const file = pdfFile(block);
  if (file !== undefined) return [{ type: 'file', file, ...marks }];
  const { type, content } = asObject(block['source']) ?? {};
  if (block['type'] === 'document' && type === 'content')
    return asObjects(content).flatMap((inner) => userPart(inner, breakpoints));
  throw new UnsupportedByFormat(`${nameOf(block)} has no counterpart in chat completions`);
}

function nameOf(block: Json): string {
  const kept = asString(asObject(block['source'])?.['type']);
  return `content of type ${asString(block['type']) ?? ''}${kept === undefined ? '' : ` from ${kept}`}`;
}

function assistantMessage(blocks: readonly Json[], breakpoints: boolean): readonly Json[] {
  const content = textParts(blocks, breakpoints);
  const calls = blocks.filter((block) => block['type'] === 'tool_use').map(toolCall);
  if (content.length === 0 && calls.length === 0) return [];
  return [
    present({
      role: 'assistant',
      content: content.length === 0 ? undefined : content,
      tool_calls: calls.length === 0 ? undefined : calls,
    }),
  ];
}

function toolCall(block: Json): Json {
  const called = { name: block['name'], arguments: JSON.stringify(block['input'] ?? {}) };
  return { id: block['id'], type: 'function', function: called };
}

function textParts(blocks: readonly Json[], breakpoints: boolean): readonly Json[] {
  return blocks
    .filter((block) => wordsOf(block) !== undefined)
    .map((block) => ({ type: 'text', text: wordsOf(block), ...breakpoint(block, breakpoints) }));
}

function tooling(request: Json): Json {
  const tools = clientTools(request['tools']).map((tool) => ({
    type: 'function',
    function: present({ name: tool['name'], description: tool['description'], parameters: tool['input_schema'] }),
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
  return type === 'tool' ? { type: 'function', function: { name: choice['name'] } } : entryOf(TOOL_CHOICES, type);
}

function streaming(request: Json): Json {
  const stream = asBoolean(request['stream']);
  if (stream === undefined) return {};
  return stream ? { stream, stream_options: { include_usage: true } } : { stream };
}

/** Adaptive thinking is the only kind that says how hard to think rather than how many tokens to spend. */
function reasoningEffort(request: Json): string | undefined {
  if (asObject(request['thinking'])?.['type'] !== 'adaptive') return undefined;
  return effort(request) ?? 'high';
}

function responseFormat(request: Json): Json | undefined {
  const schema = outputSchema(request);
  return schema && { type: 'json_schema', json_schema: { name: 'structured_output', schema } };
}

/** Models from gpt-5.6 on can be told where their prompt cache ends. */
function takesBreakpoints(model: unknown): boolean {
  const version = /^gpt-(\d+)\.(\d+)/.exec(asString(model) ?? '');
  if (version === null) return false;
  const [major = 0, minor = 0] = version.slice(1).map(Number);
  return major > 5 || (major === 5 && minor >= 6);
}

function breakpoint(block: Json, breakpoints: boolean): Json {
  return breakpoints && isJson(block['cache_control']) ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {};
}
