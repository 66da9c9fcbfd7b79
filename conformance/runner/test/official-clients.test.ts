import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPeers, type Peers } from '../peers/peers.ts';
import { freePort } from '../sut/ports.ts';

// The reference between the official client libraries and providers that are as strict as the real ones: every client can
// use every provider that the matrix of formats lets it reach.

const CALL = { id: 'c1', name: 'weather', arguments: { city: 'Oslo' } };
const REPLY = { text: 'Good day', toolCalls: [CALL], usage: { input: 40, output: 60 } };
const PROVIDERS = { vendor1: ['Completions', 'Responses'], vendor4: 'Messages', custom: 'Completions' } as const;
type Provider = keyof typeof PROVIDERS;
const NAMES: readonly Provider[] = ['vendor1', 'vendor4', 'custom'];

let peers: Peers;
let proxy: ChildProcess;
let folder: string;
let url: string;

beforeAll(async () => {
  const key = 'key-of-the-provider';
  peers = await startPeers(
    Object.fromEntries(NAMES.map((name) => [name, { kind: 'llm', format: PROVIDERS[name], key, reply: REPLY }])),
  );
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  folder = await mkdtemp(path.join(tmpdir(), 'conform-clients-'));
  const resources = [...gateway(port), ...NAMES.flatMap((name) => backend(name, peers.get(name).port, key))];
  await writeFile(path.join(folder, 'all.json'), JSON.stringify({ kind: 'List', apiVersion: 'v1', items: resources }));
  proxy = spawn(
    process.execPath,
    ['bin/refproxy.mjs', 'serve', '--config', folder, '--admin-port', String(await freePort())],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await ready(proxy);
}, 60_000);

afterAll(async () => {
  const ended = once(proxy, 'exit');
  proxy.kill();
  await ended;
  await peers.stop();
  await rm(folder, { recursive: true });
});

/** Resolves with the line that says so; rejects with everything the proxy said instead. */
function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('refproxy ready')) resolve();
    });
    child.once('exit', () => reject(new Error(said)));
  });
}

function gateway(port: number): readonly object[] {
  const group = 'gateway.networking.k8s.io/v1';
  return [
    {
      apiVersion: group,
      kind: 'GatewayClass',
      metadata: { name: 'proxy' },
      spec: { controllerName: 'proxy.example/controller' },
    },
    {
      apiVersion: group,
      kind: 'Gateway',
      metadata: { name: 'gw', namespace: 'ns' },
      spec: { gatewayClassName: 'proxy', listeners: [{ name: 'http', port, protocol: 'HTTP' }] },
    },
  ];
}

/** A provider with its formats by path, under a path of its own. */
function backend(name: Provider, port: number, key: string): readonly object[] {
  const metadata = { name, namespace: 'ns' };
  const settings = name === 'custom' ? { formats: [{ type: 'Completions' }] } : {};
  const routes = { '/chat/completions': 'Completions', '/messages': 'Messages', '/responses': 'Responses' };
  return [
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyBackend',
      metadata,
      spec: {
        ai: { provider: { [name]: settings, host: '127.0.0.1', port } },
        policies: { auth: { key }, ai: { routes } },
      },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata,
      spec: {
        parentRefs: [{ name: 'gw' }],
        rules: [
          {
            matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }],
            backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name }],
          },
        ],
      },
    },
  ];
}

function openai(provider: Provider): OpenAI {
  return new OpenAI({ apiKey: 'of-the-client', baseURL: `${url}/${provider}/v1`, maxRetries: 0 });
}

function anthropic(provider: Provider): Anthropic {
  return new Anthropic({ apiKey: 'of-the-client', baseURL: `${url}/${provider}`, maxRetries: 0 });
}

const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' } } };

describe.each(NAMES)('at %s', (provider) => {
  const chat = {
    model: 'm',
    messages: [
      { role: 'system' as const, content: 'Be brief' },
      { role: 'user' as const, content: 'hi' },
    ],
    tools: [{ type: 'function' as const, function: { name: 'weather', parameters: SCHEMA } }],
  };
  const message = {
    model: 'm',
    max_tokens: 100,
    system: 'Be brief',
    messages: [{ role: 'user' as const, content: 'hi' }],
    tools: [{ name: 'weather', input_schema: SCHEMA }],
  };
  const CHOICE = {
    finish_reason: 'tool_calls',
    message: {
      content: 'Good day',
      tool_calls: [{ id: 'c1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    },
  };
  const CONTENT = [
    { type: 'text', text: 'Good day' },
    { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
  ];

  test('the client of Completions, streaming and not', async () => {
    const completions = openai(provider).chat.completions;
    const whole = await completions.create(chat);
    expect(whole.choices[0]).toMatchObject(CHOICE);
    expect(whole.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 60, total_tokens: 100 });
    const stream = completions.stream({ ...chat, stream_options: { include_usage: true } });
    const streamed = await stream.finalChatCompletion();
    expect(streamed.choices[0]).toMatchObject(CHOICE);
    expect(streamed.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 60, total_tokens: 100 });
  });

  test('the client of Messages, streaming and not', async () => {
    const { messages } = anthropic(provider);
    const whole = await messages.create(message);
    expect(whole).toMatchObject({ content: CONTENT, stop_reason: 'tool_use', usage: { output_tokens: 60 } });
    const streamed = await messages.stream(message).finalMessage();
    expect(streamed).toMatchObject({ content: CONTENT, stop_reason: 'tool_use', usage: { output_tokens: 60 } });
  });

  test('the client of Responses, streaming and not, where the format can be had', async () => {
    const { responses } = openai(provider);
    if (provider === 'vendor4') {
      await expect(responses.create({ model: 'm', input: 'hi' })).rejects.toMatchObject({ status: 400 });
      return;
    }
    const whole = await responses.create({ model: 'm', input: 'hi', instructions: 'Be brief' });
    expect(whole).toMatchObject({ output_text: 'Good day', status: 'completed', usage: { total_tokens: 100 } });
    expect(whole.output.at(-1)).toMatchObject({ type: 'function_call', call_id: 'c1', arguments: '{"city":"Oslo"}' });
    let text = '';
    for await (const event of await responses.create({ model: 'm', input: 'hi', stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
    expect(text).toBe('Good day');
  });
});

test('an error of the provider is the error of the client library', async () => {
  const empty = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }], temperature: 7 };
  await expect(openai('vendor1').chat.completions.create(empty)).rejects.toMatchObject({
    status: 400,
    param: 'temperature',
    code: 'invalid_value',
  });
  await expect(anthropic('custom').messages.create({ ...empty, max_tokens: 1 })).rejects.toMatchObject({
    status: 400,
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  });
});
