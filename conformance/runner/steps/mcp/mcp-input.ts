import { z } from 'zod';
import { versionMember, whereShape } from '../http-input.ts';

/** The lists of a server, by the member of the step that asks for one. */
export const LISTS = {
  tools: { method: 'tools/list', member: 'tools' },
  prompts: { method: 'prompts/list', member: 'prompts' },
  resources: { method: 'resources/list', member: 'resources' },
  templates: { method: 'resources/templates/list', member: 'resourceTemplates' },
} as const;

/** What a client wants of an item; each is found in its list where the case says only whose it is. */
export const ITEMS = {
  call: { method: 'tools/call', list: 'tools', param: 'name' },
  get: { method: 'prompts/get', list: 'prompts', param: 'name' },
  read: { method: 'resources/read', list: 'resources', param: 'uri' },
} as const;

const ACTS = ['connect', 'list', 'call', 'get', 'read', 'request', 'notify', 'reply', 'listen', 'delete'] as const;

/** The `mcp` step as written: exactly one thing the client does. */
export const mcpInputSchema = z
  .strictObject({
    connect: z
      .union([z.literal(true), z.string()])
      .optional()
      .describe(
        'begins a session, in a revision such as 2025-06-18; true for 2025-11-25; in 2026-07-28, which has none, asks who the server is',
      ),
    revision: z
      .string()
      .optional()
      .describe('speaks this revision, such as 2026-07-28, and not the one of the session'),
    list: z
      .enum(['tools', 'prompts', 'resources', 'templates'])
      .optional()
      .describe('reads tools, prompts, resources or templates, every page'),
    call: z.string().optional().describe('calls the tool of this name'),
    get: z.string().optional().describe('gets the prompt of this name'),
    read: z.string().optional().describe('reads the resource of this URI'),
    of: z
      .string()
      .optional()
      .describe('the target whose item it is: the client looks its name up in the list, however that spells the two'),
    request: z.string().optional().describe('sends a request of this method, such as ping'),
    notify: z.string().optional().describe('sends a notification of this method'),
    reply: z.union([z.string(), z.int()]).optional().describe('answers the request of the server with this id'),
    listen: z
      .literal(true)
      .optional()
      .describe('hears what the server says by itself until the stream ends: by GET, in 2026-07-28 by a subscription'),
    delete: z.literal(true).optional().describe('ends the session'),
    arguments: z.record(z.string(), z.json()).optional().describe('arguments of a call or of a prompt'),
    params: z.record(z.string(), z.json()).optional().describe('parameters of a request or notification'),
    result: z.record(z.string(), z.json()).optional().describe('result of a reply; {} when absent'),
    client: z.string().optional().describe('name of the client, which remembers its session; there is one when absent'),
    session: z.union([z.string(), z.null()]).optional().describe('this session instead; null for none'),
    at: z.string().optional().describe('path of the endpoint; /mcp when absent'),
    id: z.union([z.string(), z.int()]).optional().describe('id of the JSON-RPC request; 1 when absent'),
    headers: z
      .record(z.string(), z.union([z.string(), z.number(), z.null()]))
      .optional()
      .describe('replaces what a client sends; null leaves a header out'),
    body: z.string().optional().describe('this body instead of the message'),
    ...whereShape,
    httpVersion: versionMember,
  })
  .refine(
    (input) => ACTS.filter((act) => input[act] !== undefined).length === 1,
    `write exactly one of ${ACTS.join(', ')}`,
  )
  .refine(
    (input) => input.of === undefined || [input.call, input.get, input.read].some((item) => item !== undefined),
    'of says whose item is called, got or read',
  );
export type McpInput = z.infer<typeof mcpInputSchema>;

/** The revision of a client that names none. */
export const REVISION = '2025-11-25';

/** The revision in which every request says all there is to say. */
export const PER_REQUEST = '2026-07-28';
