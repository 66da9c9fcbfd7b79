// A server of the protocol's own library, for the revisions with sessions: PORT, and `several` where it is one of several targets.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as protocol from '@modelcontextprotocol/sdk/types.js';
import {
  COMPLETION,
  CONSTANT_TOOLS,
  isFromElsewhere,
  named,
  PROMPTS,
  readResource,
  RESOURCES,
  TEMPLATES,
  text,
} from './content.mjs';

const [port, place] = process.argv.slice(2);

const NOTHING = { type: 'object', properties: {} };
const strings = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
});

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const OPTIONS = ['option1', 'option2', 'option3'];
const titled = (word) => [1, 2].map((number) => ({ const: `value${number}`, title: `${word} ${number}` }));
const ENUMS = {
  untitledSingle: { type: 'string', enum: OPTIONS },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['One', 'Two', 'Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};

/** A schema with all that the revision of JSON Schema has and a gateway might drop. */
const WHOLE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', ...strings('street', 'city') } },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- it is a word of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

async function elicit({ sendRequest }, message, requestedSchema) {
  const params = { mode: 'form', message, requestedSchema };
  const { action, content } = await sendRequest({ method: 'elicitation/create', params }, protocol.ElicitResultSchema);
  return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
}

async function logged(_, { sendNotification }) {
  for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    await setTimeout(20);
  }
  return text('done');
}

async function progressing(_, { sendNotification, _meta: { progressToken } = {} }) {
  for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    await setTimeout(20);
  }
  return text('done');
}

async function sampled({ prompt }, { sendRequest }) {
  const params = { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 };
  const { content } = await sendRequest(
    { method: 'sampling/createMessage', params },
    protocol.CreateMessageResultSchema,
  );
  return text(`LLM response: ${content.text}`);
}

/** Ends the stream before there is a result: the client comes back for it. */
async function polled(_, { closeSSEStream }) {
  closeSSEStream?.();
  await setTimeout(100);
  return text('Reconnection test completed');
}

const TOOLS = named(
  {
    ...Object.fromEntries(Object.entries(CONSTANT_TOOLS).map(([name, result]) => [name, [NOTHING, () => result]])),
    test_tool_with_logging: [NOTHING, logged],
    test_tool_with_progress: [NOTHING, progressing],
    test_sampling: [strings('prompt'), sampled],
    test_elicitation: [
      strings('message'),
      ({ message }, extra) => elicit(extra, message, strings('username', 'email')),
    ],
    test_elicitation_sep1034_defaults: [
      NOTHING,
      (_, extra) => elicit(extra, 'Defaults', { type: 'object', properties: DEFAULTS }),
    ],
    test_elicitation_sep1330_enums: [
      NOTHING,
      (_, extra) => elicit(extra, 'Choices', { type: 'object', properties: ENUMS }),
    ],
    json_schema_2020_12_tool: [WHOLE_SCHEMA, () => text('ok')],
    test_reconnection: [NOTHING, polled],
  },
  place === 'several',
);
const OWN_PROMPTS = named(PROMPTS, place === 'several');

function introduce() {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
  };
  const server = new Server({ name: 'everything', version: '1.0.0' }, { capabilities });
  const on = (schema, answer) => server.setRequestHandler(schema, answer);
  on(protocol.ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, [inputSchema]]) => ({ name, description: name, inputSchema })),
  }));
  on(protocol.CallToolRequestSchema, ({ params }, extra) => {
    const [, call] = TOOLS[params.name] ?? unknown();
    return call(params.arguments ?? {}, extra);
  });
  on(protocol.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(OWN_PROMPTS).map(([name, [names]]) => ({
      name,
      description: name,
      arguments: names.map((each) => ({ name: each, required: true })),
    })),
  }));
  on(protocol.GetPromptRequestSchema, ({ params }) => {
    const [, messages] = OWN_PROMPTS[params.name] ?? unknown();
    return { messages: messages(params.arguments ?? {}) };
  });
  on(protocol.ListResourcesRequestSchema, () => ({ resources: RESOURCES }));
  on(protocol.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: TEMPLATES }));
  on(protocol.ReadResourceRequestSchema, ({ params }) => ({ contents: readResource(params.uri) ?? unknown() }));
  on(protocol.SubscribeRequestSchema, () => ({}));
  on(protocol.UnsubscribeRequestSchema, () => ({}));
  on(protocol.SetLevelRequestSchema, () => ({}));
  on(protocol.CompleteRequestSchema, () => COMPLETION);
  return server;
}

function unknown() {
  throw new protocol.McpError(protocol.ErrorCode.InvalidParams, 'there is no such thing');
}

const sessions = new Map();

async function begin() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: new InMemoryEventStore(),
    retryInterval: 200,
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await introduce().connect(transport);
  return transport;
}

createServer((request, response) => void serve(request, response)).listen(Number(port), '127.0.0.1', () =>
  console.log('ready'),
);

async function serve(request, response) {
  const id = request.headers['mcp-session-id'];
  if (isFromElsewhere(request.headers)) return response.writeHead(403).end();
  if (id !== undefined && !sessions.has(id)) return response.writeHead(404).end();
  return (sessions.get(id) ?? (await begin())).handleRequest(request, response);
}
