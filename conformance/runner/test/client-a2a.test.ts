import { Role, TaskState, type SendMessageRequest } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPeers } from '../peers/peers.ts';
import { backendAt, startReferenceProxy, type ReferenceProxy } from './support/reference-proxy.ts';

// The SDK of A2A: it must not notice whether it speaks to an agent or to the reference before it.

const SCRIPT = {
  kind: 'a2a',
  on: [
    { match: { text: 'begin' }, reply: { task: { state: 'working', text: 'so far' } } },
    {
      match: { text: 'follow' },
      reply: { stream: [{ task: { state: 'working' } }, { artifact: 'done' }, { status: 'completed' }] },
    },
    { match: { text: 'break' }, reply: { stream: [{ task: {} }, { error: { code: -32603 } }] } },
    { match: { text: 'fail' }, reply: { error: { code: -32004 } } },
  ],
  reply: { message: 'hello' },
};
const AGENTS = {
  old: { ...SCRIPT, version: '0.3', path: '/agents/old' },
  new: { ...SCRIPT, version: '1.0', path: '/agents/new' },
};

let peers: Awaited<ReturnType<typeof startPeers>>;
let proxy: ReferenceProxy;

beforeAll(async () => {
  peers = await startPeers(AGENTS);
  const backends = Object.keys(AGENTS).flatMap((name) =>
    backendAt(name, { a2a: { host: '127.0.0.1', port: peers.get(name).port } }, `/agents/${name}`),
  );
  proxy = await startReferenceProxy(backends);
}, 60_000);

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await peers.stop();
});

/** The SDK reads the card where it is told to, and calls where the card says. */
function clientAt(agent: string): Promise<Client> {
  const legacyCompat = { enabled: true };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
  });
  return factory.createFromUrl(agent, `${new URL(agent).pathname}/.well-known/agent-card.json`);
}

function said(text: string): SendMessageRequest {
  const part = { content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' };
  const names = { messageId: 'm-1', contextId: 'c-1', taskId: '' };
  const rest = { metadata: undefined, extensions: [], referenceTaskIds: [] };
  return {
    tenant: '',
    message: { ...names, role: Role.ROLE_USER, parts: [part], ...rest },
    configuration: undefined,
    metadata: undefined,
  };
}

/** Everything a client can learn, said twice: directly and through the proxy. */
async function learn(agent: string): Promise<Readonly<Record<string, unknown>>> {
  const client = await clientAt(agent);
  const begun = await client.sendMessage(said('begin'));
  const id = 'id' in begun ? begun.id : '';
  const kinds: unknown[] = [];
  for await (const { payload } of client.sendMessageStream(said('follow'))) kinds.push(payload?.$case);
  const broken = async (): Promise<void> => {
    for await (const { payload } of client.sendMessageStream(said('break'))) kinds.push(payload?.$case);
  };
  return {
    answer: await client.sendMessage(said('hi')),
    state: 'status' in begun ? begun.status?.state : undefined,
    artifact: (await client.getTask({ tenant: '', id })).artifacts[0]?.parts[0]?.content,
    canceled: (await client.cancelTask({ tenant: '', id, metadata: undefined })).status?.state,
    refusedCancel: await reason(client.cancelTask({ tenant: '', id, metadata: undefined })),
    unknown: await reason(client.getTask({ tenant: '', id: 'task-999' })),
    failed: await reason(client.sendMessage(said('fail'))),
    broken: await reason(broken()),
    kinds,
  };
}

function reason(failing: Promise<unknown>): Promise<unknown> {
  return failing.then(
    () => 'did not fail',
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : error),
  );
}

describe.each(Object.keys(AGENTS))('the official client and the %s agent', (name) => {
  test('learn the same directly and through the proxy', async () => {
    const direct = await learn(`http://127.0.0.1:${peers.get(name).port}/agents/${name}`);
    const through = await learn(`${proxy.url}/${name}`);
    expect(through).toEqual(direct);
    expect(direct).toMatchObject({
      answer: { role: Role.ROLE_AGENT, parts: [{ content: { value: 'hello' } }] },
      state: TaskState.TASK_STATE_WORKING,
      artifact: { value: 'so far' },
      canceled: TaskState.TASK_STATE_CANCELED,
      kinds: ['task', 'artifactUpdate', 'statusUpdate', 'task'],
    });
  });

  test('find the agent behind the proxy in its card, and nowhere else', async () => {
    const card = await fetch(`${proxy.url}/${name}/.well-known/agent-card.json`);
    const text = await card.text();
    expect(text).toContain(`"url":"${proxy.url}/${name}"`);
    expect(text).not.toContain(String(peers.get(name).port));
  });
});
