import type { Facts } from '../../exchange/facts.ts';

/** What an MCP request asks for, in the words of log keys and labels; nothing for any other request. */
export interface McpAsked {
  readonly method?: string;
  /** `tool`, `prompt`, `resource` or `task`, with the name its target knows (MCP-017). */
  readonly type?: string;
  readonly target?: string;
  readonly name?: string;
}

/** Reads it from what expressions are told. The id of a session is none of it: whoever has that is in the session. */
export function mcpAsked({ mcp }: Facts): McpAsked {
  if (mcp === undefined) return {};
  const { methodName, ...items } = mcp();
  const item = Object.entries(items).find(([, value]) => isItem(value));
  return {
    ...(typeof methodName === 'string' && { method: methodName }),
    ...(item !== undefined && isItem(item[1]) && { type: item[0], target: item[1].target, name: item[1].name }),
  };
}

/** Methods that have a name of their own in labels and spans: a client may call its method what it likes. */
export const MCP_METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'logging/setLevel',
  'completion/complete',
  ...['list', 'call'].map((verb) => `tools/${verb}`),
  ...['list', 'get'].map((verb) => `prompts/${verb}`),
  ...['list', 'templates/list', 'read', 'subscribe', 'unsubscribe'].map((verb) => `resources/${verb}`),
  ...['list', 'get', 'result', 'cancel'].map((verb) => `tasks/${verb}`),
  'subscriptions/listen',
  ...['initialized', 'cancelled', 'progress', 'roots/list_changed'].map((verb) => `notifications/${verb}`),
]);

interface Item {
  readonly target: string;
  readonly name: string;
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && 'target' in value && 'name' in value;
}
