import { TaskState, Role } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { describe, expect, test } from 'vitest';
import type { Mock } from '../../../mock.ts';
import { start } from '../../support/start.ts';

// The SDK of the protocol, with its client of version 1.0 and its client of 0.3.

const VERSIONS = ['0.3', '1.0'] as const;

function clientOf(mock: Mock): Promise<Client> {
  const legacyCompat = { enabled: true };
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
  });
  return factory.createFromUrl(`http://${mock.host}:${mock.port}`, '/agents/a/.well-known/agent-card.json');
}

function agent(version: (typeof VERSIONS)[number], script: object = {}): Promise<Mock> {
  return start({ kind: 'a2a', version, path: '/agents/a', ...script });
}

function said(text: string) {
  return {
    tenant: '',
    message: {
      messageId: 'm-1',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' }],
      contextId: 'c-1',
      taskId: '',
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}

describe.each(VERSIONS)('the official client of A2A %s', (version) => {
  test('sends a message and reads the answer', async () => {
    const client = await clientOf(await agent(version, { reply: { message: 'hello' } }));
    const answer = await client.sendMessage(said('hi'));
    expect(answer).toMatchObject({
      role: Role.ROLE_AGENT,
      contextId: 'c-1',
      parts: [{ content: { $case: 'text', value: 'hello' } }],
    });
  });

  test('begins a task, asks for it, and cancels it', async () => {
    const client = await clientOf(await agent(version, { reply: { task: { state: 'working', text: 'so far' } } }));
    const begun = await client.sendMessage(said('hi'));
    expect(begun).toMatchObject({ id: 'task-1', status: { state: TaskState.TASK_STATE_WORKING } });
    const asked = await client.getTask({ tenant: '', id: 'task-1' });
    expect(asked.artifacts[0]?.parts[0]).toMatchObject({ content: { value: 'so far' } });
    const canceled = await client.cancelTask({ tenant: '', id: 'task-1', metadata: undefined });
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(client.cancelTask({ tenant: '', id: 'task-1', metadata: undefined })).rejects.toThrow(/cancel/i);
    await expect(client.getTask({ tenant: '', id: 'task-9' })).rejects.toThrow(/not found/i);
  });

  test('follows a stream of a task', async () => {
    const stream = [{ task: { state: 'working' } }, { artifact: 'done' }, { status: 'completed' }];
    const client = await clientOf(await agent(version, { reply: { stream } }));
    const kinds: unknown[] = [];
    for await (const { payload } of client.sendMessageStream(said('hi'))) kinds.push(payload?.$case);
    expect(kinds).toEqual(['task', 'artifactUpdate', 'statusUpdate']);
  });

  test('is told of an error in the middle of a stream', async () => {
    const stream = [{ task: { state: 'working' } }, { error: { code: -32603 } }];
    const client = await clientOf(await agent(version, { reply: { stream } }));
    const kinds: unknown[] = [];
    const follow = async (): Promise<void> => {
      for await (const { payload } of client.sendMessageStream(said('hi'))) kinds.push(payload?.$case);
    };
    await expect(follow()).rejects.toThrow(/Internal error/);
    expect(kinds).toEqual(['task']);
  });

  test('gets the error of a script', async () => {
    const client = await clientOf(await agent(version, { reply: { error: { code: -32004 } } }));
    await expect(client.sendMessage(said('hi'))).rejects.toThrow(/not supported/i);
  });
});

test('the client of 1.0 lists tasks', async () => {
  const client = await clientOf(await agent('1.0', { reply: { task: { state: 'working' } } }));
  await client.sendMessage(said('one'));
  await client.sendMessage(said('two'));
  const listed = await client.listTasks({
    tenant: '',
    contextId: '',
    status: TaskState.TASK_STATE_UNSPECIFIED,
    pageToken: '',
    statusTimestampAfter: undefined,
  });
  expect(listed.tasks.map(({ id }) => id)).toEqual(['task-1', 'task-2']);
});

test('a card of both versions is read by clients of both', async () => {
  const mock = await start({ kind: 'a2a' });
  const card: unknown = await (await fetch(`http://${mock.host}:${mock.port}/.well-known/agent-card.json`)).json();
  expect(card).toMatchObject({
    url: mock.variables?.['url'],
    supportedInterfaces: [{ url: mock.variables?.['url'], protocolVersion: '1.0' }],
  });
});
