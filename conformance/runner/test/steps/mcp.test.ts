import { describe, expect, onTestFinished, test } from 'vitest';
import { startPeers } from '../../peers/peers.ts';
import { findItem } from '../../steps/mcp/find-item.ts';
import { findUri } from '../../steps/mcp/find-uri.ts';
import { mcpInputSchema } from '../../steps/mcp/mcp-input.ts';
import { initialized, mcpCall } from '../../steps/mcp/mcp-request.ts';
import { readMcpAnswer } from '../../steps/mcp/read-answer.ts';
import { stepKinds } from '../../steps/registry.ts';
import type { Observation } from '../../steps/step.ts';
import { stepContext } from '../support/step-context.ts';

type Script = Readonly<Record<string, unknown>>;

const NEW = { session: null, revision: '2025-11-25' };
const KNOWN = { session: 's-1', revision: '2025-06-18' };

function callOf(input: Script, client = KNOWN as typeof NEW | typeof KNOWN): ReturnType<typeof mcpCall> {
  return mcpCall(mcpInputSchema.parse(input), client);
}

function messageOf(input: Script): unknown {
  return JSON.parse(Buffer.concat([...(callOf(input).parts ?? [])]).toString());
}

function headersOf(input: Script, client?: typeof NEW | typeof KNOWN): Readonly<Record<string, string>> {
  return Object.fromEntries(callOf(input, client).headers);
}

/** Runs steps one after another, as one case does, against a peer of this script without a proxy between. */
async function ask(peer: Script, ...inputs: readonly Script[]): Promise<readonly Observation[]> {
  const peers = await startPeers({ up: { kind: 'mcp', ...peer } });
  onTestFinished(() => peers.stop());
  const { host, port } = peers.get('up');
  const context = await stepContext({ data: { host, port } }, { peers });
  const seen: Observation[] = [];
  for (const input of inputs) seen.push((await stepKinds['mcp']?.run(input, context)) ?? {});
  context.background.stop();
  return seen;
}

describe('what is sent', () => {
  test.each([
    [{ list: 'templates' }, { id: 1, method: 'resources/templates/list', params: {} }],
    [
      { call: 'add', arguments: { x: 1 }, id: 'a' },
      { id: 'a', method: 'tools/call', params: { name: 'add', arguments: { x: 1 } } },
    ],
    [{ get: 'greet' }, { id: 1, method: 'prompts/get', params: { name: 'greet' } }],
    [{ read: 'memo://one' }, { id: 1, method: 'resources/read', params: { uri: 'memo://one' } }],
    [{ request: 'ping' }, { id: 1, method: 'ping' }],
    [
      { request: 'logging/setLevel', params: { level: 'error' } },
      { id: 1, method: 'logging/setLevel', params: { level: 'error' } },
    ],
    [{ notify: 'notifications/cancelled' }, { method: 'notifications/cancelled' }],
    [{ reply: 7 }, { id: 7, result: {} }],
    [
      { reply: 'x', result: { roots: [] } },
      { id: 'x', result: { roots: [] } },
    ],
  ])('%j', (input, message) => {
    expect(messageOf(input)).toEqual({ jsonrpc: '2.0', ...message });
  });

  test('a client that connects says who it is, in the revision it is told, and then that it is ready', () => {
    expect(messageOf({ connect: '2025-03-26' })).toMatchObject({
      method: 'initialize',
      params: { protocolVersion: '2025-03-26', clientInfo: { name: 'conformance' } },
    });
    expect(messageOf({ connect: true })).toMatchObject({ params: { protocolVersion: '2025-11-25' } });
    expect(initialized({ connect: true, at: '/a' })).toEqual({ notify: 'notifications/initialized', at: '/a' });
  });

  test('the session and its revision go along, but not with the request that begins one', () => {
    const inSession = { 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-06-18' };
    expect(headersOf({ call: 'add' })).toMatchObject(inSession);
    expect(headersOf({ connect: true })).toEqual({
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    });
    expect(headersOf({ call: 'add' }, NEW)).not.toHaveProperty('mcp-session-id');
    expect(headersOf({ call: 'add', session: 's-2' })).toMatchObject({ 'mcp-session-id': 's-2' });
    expect(headersOf({ call: 'add', session: null })).not.toHaveProperty('mcp-session-id');
  });

  test('headers of the step replace those of the client whatever their case, and null leaves one out', () => {
    const headers = { 'Mcp-Session-Id': 'other', accept: null, 'x-one': 1 };
    expect(headersOf({ call: 'add', headers })).toEqual({
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-06-18',
      'Mcp-Session-Id': 'other',
      'x-one': '1',
    });
  });

  test('a client listens with GET, ends its session with DELETE, and sends a body as it is', () => {
    expect(callOf({ listen: true })).toMatchObject({ method: 'GET', path: '/mcp', parts: undefined });
    expect(headersOf({ listen: true })).toMatchObject({ accept: 'text/event-stream' });
    expect(callOf({ delete: true, at: '/tools' })).toMatchObject({
      method: 'DELETE',
      path: '/tools',
      parts: undefined,
    });
    expect(String(callOf({ request: 'ping', body: '[{' }).parts?.[0])).toBe('[{');
  });

  test.each([[{}], [{ list: 'tools', call: 'add' }], [{ list: 'tools', of: 'one' }], [{ list: 'everything' }]])(
    '%j is no step',
    (input) => {
      expect(mcpInputSchema.safeParse(input).success).toBe(false);
    },
  );
});

describe('what is sent in the revision without sessions', () => {
  const MODERN = '2026-07-28';
  const META = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'conformance', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': { roots: {}, sampling: {}, elicitation: {} },
  };

  test.each([
    [{ connect: MODERN }, 'server/discover', undefined, {}],
    [{ list: 'tools', revision: MODERN }, 'tools/list', undefined, {}],
    [{ call: 'add', revision: MODERN }, 'tools/call', 'add', { name: 'add' }],
    [{ call: 'ä', revision: MODERN }, 'tools/call', '=?base64?w6Q=?=', { name: 'ä' }],
    [{ read: 'memo://one', revision: MODERN }, 'resources/read', 'memo://one', { uri: 'memo://one' }],
    [
      { listen: true, revision: MODERN },
      'subscriptions/listen',
      undefined,
      { notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } },
    ],
  ])('%j', (input, method, name, params) => {
    expect(messageOf(input)).toEqual({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } });
    const headers = headersOf(input, NEW);
    expect(headers).toMatchObject({ 'mcp-protocol-version': MODERN, 'mcp-method': method });
    expect(headers['mcp-name']).toBe(name);
    expect(callOf(input).method).toBe('POST');
  });

  test('a case may say otherwise', () => {
    const input = {
      call: 'add',
      revision: MODERN,
      params: { _meta: { 'io.modelcontextprotocol/protocolVersion': 'x' } },
    };
    expect(messageOf(input)).toMatchObject({
      params: { _meta: { ...META, 'io.modelcontextprotocol/protocolVersion': 'x' } },
    });
    expect(headersOf({ ...input, headers: { 'Mcp-Name': null } }, NEW)).not.toHaveProperty('mcp-name');
  });
});

describe('what is read', () => {
  const ASKED = { asked: true, status: 200 };

  test.each([
    ['a result', [{ id: 1, result: {} }], ASKED, 'result'],
    ['an error of JSON-RPC', [{ id: 1, error: { code: -32601 } }], ASKED, 'rejected'],
    ['an error of the tool', [{ id: 1, result: { isError: true } }], ASKED, 'rejected'],
    ['no answer to a request', [], ASKED, 'rejected'],
    ['no answer to a notification', [], { asked: false, status: 202 }, undefined],
    ['a refused notification', [], { asked: false, status: 404 }, 'rejected'],
    ['the last of several answers', [{ error: {} }, { result: {} }], ASKED, 'result'],
    ['what is no object', ['text', 3, null], ASKED, 'rejected'],
  ])('%s', (_, documents, asked, outcome) => {
    expect(readMcpAnswer(documents, asked).outcome).toBe(outcome);
  });

  test('texts of contents and messages, one after another', () => {
    const content = [{ text: 'a' }, { type: 'image' }, { text: 'b' }];
    expect(readMcpAnswer([{ result: { content } }], ASKED).text).toBe('ab');
    const messages = [{ content: { text: 'c' } }, { content: { text: 'd' } }];
    expect(readMcpAnswer([{ result: { messages } }], ASKED).text).toBe('cd');
    expect(readMcpAnswer([{ result: { contents: [{ text: 'e' }] } }], ASKED).text).toBe('e');
    expect(readMcpAnswer([{ result: {} }], ASKED)).not.toHaveProperty('text');
  });

  test('names and addresses of a list in the order of letters, and what else the stream said', () => {
    const resources = [
      { name: 'b', uri: 'm://b' },
      { name: 'a', uri: 'm://a' },
    ];
    const progress = { method: 'notifications/progress' };
    expect(readMcpAnswer([progress, { result: { resources } }], ASKED)).toMatchObject({
      names: ['a', 'b'],
      uris: ['m://a', 'm://b'],
      said: ['notifications/progress'],
      messages: [progress],
    });
    const resourceTemplates = [{ name: 't', uriTemplate: 'm://{x}' }];
    expect(readMcpAnswer([{ result: { resourceTemplates } }], ASKED).uris).toEqual(['m://{x}']);
  });
});

test.each([
  ['behind the name of its target', ['one_add', 'two_add'], 'one', 'add', 'one_add'],
  ['whatever stands between', ['two--add', 'one--add'], 'one', 'add', 'one--add'],
  ['not without a target', ['add'], 'one', 'add', undefined],
  ['not by the name of another target', ['two_add'], 'one', 'add', undefined],
  ['not where several could be meant', ['one_add', 'one_x_add'], 'one', 'add', undefined],
])('an item is found %s', (_, names, target, item, found) => {
  expect(findItem(names, target, item)).toBe(found);
});

test.each([
  ['by the name of its target and its end', ['one+memo://a', 'two+memo://a'], 'two', 'memo://a', 'two+memo://a'],
  [
    'percent-encoded',
    ['mcp://one/memo%3A%2F%2Fa', 'mcp://two/memo%3A%2F%2Fa'],
    'one',
    'memo://a',
    'mcp://one/memo%3A%2F%2Fa',
  ],
  ['by its end, where that is enough', ['r1:memo://a', 'r2:memo://b'], 'two', 'memo://b', 'r2:memo://b'],
  ['alone, whatever it looks like', ['mcp:b25lfG1lbW86Ly9h'], 'one', 'memo://a', 'mcp:b25lfG1lbW86Ly9h'],
  ['by the name of its target within', ['memo://one/a', 'memo://two/a'], 'two', 'memo://a', 'memo://two/a'],
  ['by the name of its target behind', ['memo://a?of=one', 'memo://a?of=two'], 'two', 'memo://a', 'memo://a?of=two'],
  ['where the two begin alike', ['memo://a-one/a', 'memo://b/a'], 'a-one', 'memo://a', 'memo://a-one/a'],
  ['not by the beginning of its own', ['memo://one/ab', 'memo://two/ac'], 'one', 'memo://a', undefined],
  ['not where several could be meant', ['one+memo://a', 'one+x:memo://a'], 'one', 'memo://a', undefined],
  ['not where none could', ['memo://a', 'memo://b'], 'one', 'memo://c', undefined],
])('a resource is found %s', (_, uris, target, uri, found) => {
  expect(
    findUri(
      uris.map((each) => ({ uri: each })),
      target,
      uri,
    ),
  ).toBe(found);
});

test.each([
  ['its own', 'memo://b', 'memo://b', 'mcp:2'],
  ['that of its target and its own', 'two:memo://b', 'memo://b', 'mcp:2'],
  ['that of another', 'memo://c', 'memo://b', undefined],
])('a resource whose URI hides everything is found by a name that is %s', (_, name, uri, found) => {
  const resources = [
    { uri: 'mcp:1', name: 'memo://a' },
    { uri: 'mcp:2', name },
  ];
  expect(findUri(resources, 'two', uri)).toBe(found);
});

describe('a client and a server', () => {
  test('the session that a server gives is remembered, each client its own', async () => {
    const [first, second, call, other, stranger] = await ask(
      { tools: [{ name: 'add' }] },
      { connect: true },
      { connect: true, client: 'b' },
      { call: 'add' },
      { call: 'add', client: 'b' },
      { call: 'add', client: 'c' },
    );
    expect(first?.['session']).toBeTypeOf('string');
    expect(second?.['session']).not.toBe(first?.['session']);
    expect([call, other].map((seen) => seen?.['outcome'])).toEqual(['result', 'result']);
    expect(stranger).toMatchObject({ outcome: 'rejected' });
  });

  test('an item of a target that is not listed is told with what is', async () => {
    const [, missed] = await ask({ tools: [{ name: 'add' }] }, { connect: true }, { call: 'mul', of: 'one' });
    expect(missed?.['failure']).toBe('mul of one is not in add');
  });

  test('the pages of a list are one list, with all that they say of its items', async () => {
    const tools = [{ name: 'sub' }, { name: 'mul' }, { name: 'add' }];
    const [, list] = await ask({ tools, pageSize: 1 }, { connect: true }, { list: 'tools' });
    expect(list?.['names']).toEqual(['add', 'mul', 'sub']);
    expect(list?.['result']).toMatchObject({ tools: [{ name: 'sub' }, { name: 'mul' }, { name: 'add' }] });
    expect(list?.['result']).not.toHaveProperty('nextCursor');
  });

  test('in the revision without sessions a client asks who the server is, and goes on without a session', async () => {
    const [first, list, call, heard] = await ask(
      { revision: '2026-07-28', tools: [{ name: 'add' }], listen: [{ method: 'notifications/tools/list_changed' }] },
      { connect: '2026-07-28' },
      { list: 'tools' },
      { call: 'add' },
      { listen: true },
    );
    expect(first).toMatchObject({ outcome: 'result', session: null, result: { supportedVersions: ['2026-07-28'] } });
    expect([list?.['names'], call?.['text']]).toEqual([['add'], 'up add {}']);
    expect(heard?.['said']).toEqual(['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed']);
  });

  test('a client whose session has ended is rejected', async () => {
    const [, ended, after] = await ask({}, { connect: true }, { delete: true }, { request: 'ping' });
    expect(ended).not.toHaveProperty('outcome');
    expect(after).toMatchObject({ outcome: 'rejected', status: 404 });
  });
});
