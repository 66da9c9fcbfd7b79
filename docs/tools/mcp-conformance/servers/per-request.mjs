// A server of the revision without sessions, written out so that every member is to be seen: PORT, and `several` where it is one of several targets.
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
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

const REVISION = '2026-07-28';
const OWN = 'io.modelcontextprotocol/';
const NOTHING = { type: 'object', properties: {} };
/** How long clients may keep what says so. */
const KEEP = { ttlMs: 1000, cacheScope: 'private' };

class Refusal extends Error {
  constructor(code, message, { data, status = 400 } = {}) {
    super(message);
    Object.assign(this, { code, data, status });
  }
}

const sign = (words) => `${words}.${createHmac('sha256', 'a key of this test').update(words).digest('hex')}`;

/** The state that a client brings back, which must be what it was given. */
function stateOf({ requestState }) {
  if (requestState === undefined) return undefined;
  const words = String(requestState).slice(0, String(requestState).lastIndexOf('.'));
  if (sign(words) !== requestState) throw new Refusal(-32602, 'requestState is not what it was');
  return words;
}

const asks = (inputRequests, state) => ({
  resultType: 'input_required',
  inputRequests,
  ...(state !== undefined && { requestState: sign(state) }),
});

const elicitation = (message, name, type = 'string') => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { ...NOTHING, properties: { [name]: { type } }, required: [name] },
  },
});

const sampling = (words, maxTokens) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens },
});

const NAME = elicitation('What is your name?', 'name');
const CONFIRM = { confirm: elicitation('Please confirm', 'ok', 'boolean') };
const ROOTS = { method: 'roots/list', params: {} };

const canOf = ({ _meta: meta }) => meta[`${OWN}clientCapabilities`];

/** Takes the params and what tells the client something before the result. */
const TOOLS = {
  ...Object.fromEntries(Object.entries(CONSTANT_TOOLS).map(([name, result]) => [name, () => result])),
  test_tool_with_progress: ({ _meta: { progressToken } }, tell) => {
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      tell('notifications/progress', { progressToken, progress, total: 100 });
    return text('done');
  },
  test_logging_tool: ({ _meta: meta }, tell) => {
    if (meta[`${OWN}logLevel`] !== undefined) tell('notifications/message', { level: 'info', data: 'called' });
    return text('done');
  },
  test_missing_capability: (params) => {
    if (canOf(params).sampling) return text('ok');
    throw new Refusal(-32021, 'sampling is needed', { data: { requiredCapabilities: { sampling: {} } } });
  },
  test_streaming_elicitation: (params) =>
    params.inputResponses === undefined && canOf(params).elicitation ? asks({ user_name: NAME }) : text('done'),
  test_trigger_tool_change: () => changed('toolsListChanged', 'notifications/tools/list_changed'),
  test_trigger_prompt_change: () => changed('promptsListChanged', 'notifications/prompts/list_changed'),
  test_input_required_result_elicitation: ({ inputResponses }) => {
    const name = inputResponses?.user_name?.content?.name;
    return typeof name === 'string' ? text(`Hello, ${name}!`) : asks({ user_name: NAME });
  },
  test_input_required_result_sampling: ({ inputResponses }) => {
    const words = [inputResponses?.capital_question?.content].flat()[0]?.text;
    return words === undefined
      ? asks({ capital_question: sampling('What is the capital of France?', 100) })
      : text(words);
  },
  test_input_required_result_list_roots: ({ inputResponses }) => {
    const roots = inputResponses?.client_roots?.roots;
    return roots === undefined
      ? asks({ client_roots: ROOTS })
      : text(`Roots: ${roots.map(({ uri }) => uri).join(' ')}`);
  },
  test_input_required_result_request_state: (params) =>
    stateOf(params) === undefined ? asks(CONFIRM, 'asked') : text('state-ok'),
  test_input_required_result_tampered_state: (params) =>
    stateOf(params) === undefined ? asks(CONFIRM, 'asked') : text('state-ok'),
  test_input_required_result_multiple_inputs: (params) =>
    stateOf(params) === undefined
      ? asks({ user_name: NAME, greeting: sampling('Generate a greeting', 50), client_roots: ROOTS }, 'asked')
      : text('done'),
  test_input_required_result_multi_round: (params) => {
    const state = stateOf(params);
    if (state === undefined) return asks({ step1: elicitation('Step 1: What is your name?', 'name') }, 'one');
    if (state === 'one') return asks({ step2: elicitation('Step 2: What is your favorite color?', 'color') }, 'two');
    return text('done');
  },
  test_input_required_result_capabilities: (params) => {
    if (params.inputResponses !== undefined) return text('done');
    const { sampling: canSample, elicitation: canElicit } = canOf(params);
    return asks(
      {
        ...(canSample && { greeting: sampling('Generate a greeting', 50) }),
        ...(canElicit && { user_name: NAME }),
      },
      'asked',
    );
  },
};
const OWN_TOOLS = named(TOOLS, place === 'several');

const OWN_PROMPTS = named({ ...PROMPTS, test_input_required_result_prompt: [[], contextual] }, place === 'several');

/** A prompt that asks back before it is one. */
function contextual(_, { inputResponses }) {
  const context = inputResponses?.user_context?.content?.context;
  if (context === undefined)
    return asks({ user_context: elicitation('What context should the prompt use?', 'context') });
  return [{ role: 'user', content: { type: 'text', text: context } }];
}

const METHODS = {
  'server/discover': () => ({
    supportedVersions: [REVISION],
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    ...KEEP,
  }),
  'tools/list': () => ({
    tools: Object.keys(OWN_TOOLS).map((name) => ({ name, description: name, inputSchema: NOTHING })),
    ...KEEP,
  }),
  'tools/call': (params, tell) => (OWN_TOOLS[params.name] ?? unknown())(params, tell),
  'prompts/list': () => ({
    prompts: Object.entries(OWN_PROMPTS).map(([name, [names]]) => ({
      name,
      description: name,
      arguments: names.map((each) => ({ name: each, required: true })),
    })),
    ...KEEP,
  }),
  'prompts/get': (params) => {
    const [, made] = OWN_PROMPTS[params.name] ?? unknown();
    const messages = made(params.arguments ?? {}, params);
    return Array.isArray(messages) ? { messages } : messages;
  },
  'resources/list': () => ({ resources: RESOURCES, ...KEEP }),
  'resources/templates/list': () => ({ resourceTemplates: TEMPLATES, ...KEEP }),
  'resources/read': ({ uri }) => ({ contents: readResource(uri) ?? unknown({ uri }), ...KEEP }),
  'completion/complete': () => COMPLETION,
};

function unknown(data) {
  throw new Refusal(-32602, 'there is no such thing', { data, status: 200 });
}

const listeners = new Set();

function changed(filter, method) {
  for (const { id, notifications, write } of listeners)
    if (notifications[filter]) write({ method, params: { _meta: { [`${OWN}subscriptionId`]: String(id) } } });
  return text('changed');
}

const STREAM = { 'content-type': 'text/event-stream' };

function writer(response) {
  return (message) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
}

function listen({ id, params: { notifications = {} } }, response) {
  const write = writer(response.writeHead(200, STREAM));
  const listener = { id, notifications, write };
  listeners.add(listener);
  response.once('close', () => listeners.delete(listener));
  const params = { _meta: { [`${OWN}subscriptionId`]: String(id) }, notifications };
  write({ method: 'notifications/subscriptions/acknowledged', params });
}

/** What the revision wants of every request. */
function examine({ method, params }, headers) {
  const { _meta: meta = {} } = params ?? {};
  const revision = meta[`${OWN}protocolVersion`];
  if (typeof revision !== 'string' || typeof meta[`${OWN}clientCapabilities`] !== 'object')
    throw new Refusal(-32602, 'what _meta lacks');
  if (headers['mcp-protocol-version'] !== revision || headers['mcp-method'] !== method)
    throw new Refusal(-32020, 'header and message differ');
  if (revision !== REVISION)
    throw new Refusal(-32022, 'unknown revision', { data: { supported: [REVISION], requested: revision } });
}

async function answer(message, { headers }, response) {
  examine(message, headers);
  if (message.method === 'subscriptions/listen') return listen(message, response);
  const method = METHODS[message.method];
  if (method === undefined) throw new Refusal(-32601, 'unknown method', { status: 404 });
  const before = [];
  const made = await method(message.params, (name, params) => before.push({ method: name, params }));
  const meta = { [`${OWN}serverInfo`]: { name: 'everything', version: '1.0.0' } };
  const said = { id: message.id, result: { resultType: 'complete', ...made, _meta: meta } };
  if (before.length === 0) return sendJson(response, 200, said);
  const write = writer(response.writeHead(200, STREAM));
  for (const each of [...before, said]) write(each);
  return response.end();
}

function sendJson(response, status, members) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...members }));
}

createServer((request, response) => void serve(request, response)).listen(Number(port), '127.0.0.1', () =>
  console.log('ready'),
);

async function serve(request, response) {
  if (isFromElsewhere(request.headers)) return response.writeHead(403).end();
  if (request.method !== 'POST') return response.writeHead(405).end();
  const message = JSON.parse(await textOf(request));
  if (message.id === undefined) return response.writeHead(202).end();
  try {
    return await answer(message, request, response);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message: why, data, status } = error;
    return sendJson(response, status, { id: message.id, error: { code, message: why, ...(data && { data }) } });
  }
}
