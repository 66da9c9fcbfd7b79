import { z } from 'zod';
import { orPlaceholder } from '../authoring.ts';
import { connectionMember, versionMember, whereShape, type HttpCall } from '../http-input.ts';

const A2A_VERSIONS = ['0.3', '1.0'] as const;
type A2aVersion = (typeof A2A_VERSIONS)[number];

/** What a client wants, by the member of the step; each version has a method for it. */
const METHODS = {
  send: { '0.3': 'message/send', '1.0': 'SendMessage' },
  stream: { '0.3': 'message/stream', '1.0': 'SendStreamingMessage' },
  get: { '0.3': 'tasks/get', '1.0': 'GetTask' },
  cancel: { '0.3': 'tasks/cancel', '1.0': 'CancelTask' },
  subscribe: { '0.3': 'tasks/resubscribe', '1.0': 'SubscribeToTask' },
} as const;
type Action = keyof typeof METHODS;
const ACTIONS = ['send', 'stream', 'get', 'cancel', 'subscribe'] as const satisfies readonly Action[];

/** The `a2a` step as written: exactly one thing the client wants. */
export const a2aInputSchema = z
  .strictObject({
    send: z.string().optional().describe('sends a message of this text'),
    stream: z.string().optional().describe('sends a message of this text and wants the answer as a stream'),
    get: z.string().optional().describe('asks for the task of this id'),
    cancel: z.string().optional().describe('cancels the task of this id'),
    subscribe: z.string().optional().describe('follows the task of this id again'),
    card: z.literal(true).optional().describe('reads the agent card'),
    at: z.string().optional().describe('path of the agent, / when absent; its card is below'),
    version: orPlaceholder(z.enum(A2A_VERSIONS))
      .optional()
      .describe('version of A2A the client speaks; 1.0 when absent'),
    context: z.string().optional().describe('id of the conversation the message belongs to; none when absent'),
    id: z.union([z.string(), z.int()]).optional().describe('id of the JSON-RPC request; 1 when absent'),
    headers: z
      .record(z.string(), z.union([z.string(), z.number(), z.null()]))
      .optional()
      .describe('replaces what a client sends; null leaves a header out'),
    ...whereShape,
    connection: connectionMember,
    httpVersion: versionMember,
  })
  .refine(
    (input) =>
      [input.card, ...ACTIONS.map((action) => input[action])].filter((each) => each !== undefined).length === 1,
    'write exactly one of card, send, stream, get, cancel and subscribe',
  );
export type A2aInput = z.infer<typeof a2aInputSchema>;

/** The request of an interpolated input, as a client of its version sends it. */
export function a2aCall(input: A2aInput): HttpCall {
  const { at = '/' } = input;
  const shared = { framing: 'length', trailers: {} } as const;
  if (input.card === true) {
    const path = `${at === '/' ? '' : at}/.well-known/agent-card.json`;
    return { ...shared, method: 'GET', path, headers: headersOf(input, {}), parts: undefined };
  }
  const version = versionOf(input);
  const body = Buffer.from(JSON.stringify(requestOf(input, version)), 'utf8');
  const headers = headersOf(input, {
    'content-type': 'application/json',
    accept: input.stream === undefined && input.subscribe === undefined ? 'application/json' : 'text/event-stream',
    // Who says nothing speaks 0.3.
    ...(version === '1.0' && { 'a2a-version': version }),
  });
  return { ...shared, method: 'POST', path: at, headers, parts: [body] };
}

function versionOf({ version }: A2aInput): A2aVersion {
  return A2A_VERSIONS.find((one) => one === version) ?? '1.0';
}

function requestOf(input: A2aInput, version: A2aVersion): object {
  const action = ACTIONS.find((each) => input[each] !== undefined) ?? 'send';
  const said = input[action] ?? '';
  const isTalk = action === 'send' || action === 'stream';
  const params = isTalk ? { message: messageOf(said, input, version) } : { id: said };
  return { jsonrpc: '2.0', id: input.id ?? 1, method: METHODS[action][version], params };
}

function messageOf(text: string, { context }: A2aInput, version: A2aVersion): object {
  const rest = { messageId: 'message-1', ...(context !== undefined && { contextId: context }) };
  return version === '1.0'
    ? { ...rest, role: 'ROLE_USER', parts: [{ text }] }
    : { ...rest, kind: 'message', role: 'user', parts: [{ kind: 'text', text }] };
}

/** Headers of a client; what the case names replaces them, null leaves one out. */
function headersOf({ headers = {} }: A2aInput, usual: Readonly<Record<string, string>>): [string, string][] {
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const all = [...Object.entries(usual).filter(([name]) => !own.has(name)), ...Object.entries(headers)];
  return all.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, String(value)]]));
}
