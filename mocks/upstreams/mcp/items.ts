import { isJsonObject, type Json } from '../../json.ts';
import type { Call, Problem } from './call.ts';
import type { McpScript } from './script.ts';

/** The result of a method, or why there is none. */
export type Outcome = { readonly result: Json } | { readonly problem: Problem };

/** What a server of these items says by itself. `peer` is in every default answer, so that a client sees who answered. */
export function resultOf(call: Call, script: McpScript, peer: string): Outcome {
  const method = METHODS[call.method];
  return method === undefined ? refuse(-32601, `no method ${call.method}`) : method(call, script, peer);
}

/** Whether a server has the method at all. */
export function isKnown(method: string): boolean {
  return Object.hasOwn(METHODS, method);
}

type Method = (call: Call, script: McpScript, peer: string) => Outcome;

const METHODS: Readonly<Record<string, Method>> = {
  initialize,
  ping: () => ({ result: {} }),
  'tools/list': (call, script) =>
    page(
      'tools',
      toolsOf(script).map(({ name }) => toolEntry(name)),
      call,
      script,
    ),
  'tools/call': callTool,
  'prompts/list': (call, script) =>
    page(
      'prompts',
      (script.prompts ?? []).map(({ name }) => ({ name, description: `The prompt ${name}.` })),
      call,
      script,
    ),
  'prompts/get': getPrompt,
  'resources/list': (call, script) =>
    page(
      'resources',
      (script.resources ?? []).map(({ uri, name = uri }) => ({ uri, name, mimeType: 'text/plain' })),
      call,
      script,
    ),
  'resources/templates/list': (call, script) =>
    page(
      'resourceTemplates',
      (script.templates ?? []).map(({ uriTemplate, name }) => ({ uriTemplate, name })),
      call,
      script,
    ),
  'resources/read': readResource,
  'resources/subscribe': () => ({ result: {} }),
  'resources/unsubscribe': () => ({ result: {} }),
  'logging/setLevel': () => ({ result: {} }),
  'completion/complete': (_call, _script, peer) => ({
    result: { completion: { values: [peer], total: 1, hasMore: false } },
  }),
};

/** Revisions that a client may ask for; another one is answered with the newest. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

function initialize(call: Call, script: McpScript, peer: string): Outcome {
  const { protocolVersion, capabilities, clientInfo } = call.params;
  const isIntroduced =
    isJsonObject(clientInfo) && typeof clientInfo['name'] === 'string' && typeof clientInfo['version'] === 'string';
  if (typeof protocolVersion !== 'string' || !isJsonObject(capabilities) || !isIntroduced)
    return refuse(-32602, 'initialize needs protocolVersion, capabilities and clientInfo');
  return { result: introduction(call, script, peer) };
}

/** Who the server is and what it can do. */
export function introduction({ params }: Call, script: McpScript, peer: string): Json {
  const asked = REVISIONS.find((revision) => revision === params['protocolVersion']);
  const protocolVersion = script.revision ?? asked ?? REVISIONS.at(-1) ?? '';
  const { prompts, resources, templates, instructions } = script;
  const capabilities = {
    tools: { listChanged: true },
    logging: {},
    completions: {},
    ...(prompts !== undefined && { prompts: { listChanged: true } }),
    ...((resources ?? templates) !== undefined && { resources: { subscribe: true, listChanged: true } }),
  };
  const told = instructions === undefined ? {} : { instructions };
  return { protocolVersion, capabilities, serverInfo: { name: peer, version: '1.0.0' }, ...told };
}

function toolsOf({ tools = [{ name: 'echo' }] }: McpScript): NonNullable<McpScript['tools']> {
  return tools;
}

function toolEntry(name: string): Json {
  return { name, description: `The tool ${name}.`, inputSchema: { type: 'object' } };
}

/** A page of a list; the cursor is where the next one begins. */
function page(
  member: string,
  items: readonly Json[],
  { params }: Call,
  { pageSize = items.length }: McpScript,
): Outcome {
  const start = Number(params['cursor'] ?? 0);
  if (!Number.isInteger(start) || start < 0 || start > items.length) return refuse(-32602, 'no such cursor');
  const end = start + pageSize;
  const more = end < items.length ? { nextCursor: String(end) } : {};
  return { result: { [member]: items.slice(start, end), ...more } };
}

function callTool({ name, params, headers }: Call, script: McpScript, peer: string): Outcome {
  const tool = toolsOf(script).find((one) => one.name === name);
  if (tool === undefined) return refuse(-32602, `Unknown tool: ${name ?? ''}`);
  const given = isJsonObject(params['arguments']) ? params['arguments'] : {};
  const seen = tool.header === undefined ? undefined : (headers[tool.header.toLowerCase()] ?? 'none');
  const text = seen === undefined ? (tool.text ?? `${peer} ${tool.name} ${JSON.stringify(given)}`) : String(seen);
  return {
    result: {
      content: [{ type: 'text', text }],
      ...(tool.structured !== undefined && { structuredContent: tool.structured }),
      ...(tool.isError === true && { isError: true }),
    },
  };
}

function getPrompt({ name }: Call, { prompts = [] }: McpScript, peer: string): Outcome {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt === undefined) return refuse(-32602, `Unknown prompt: ${name ?? ''}`);
  const text = prompt.text ?? `${peer} ${prompt.name}`;
  return { result: { messages: [{ role: 'user', content: { type: 'text', text } }] } };
}

function readResource({ name }: Call, { resources = [] }: McpScript, peer: string): Outcome {
  const resource = resources.find((one) => one.uri === name);
  if (resource === undefined) return refuse(-32002, `Resource not found: ${name ?? ''}`);
  const text = resource.text ?? `${peer} ${resource.uri}`;
  return { result: { contents: [{ uri: resource.uri, mimeType: 'text/plain', text }] } };
}

function refuse(code: number, message: string): Outcome {
  return { problem: { status: 200, code, message } };
}
