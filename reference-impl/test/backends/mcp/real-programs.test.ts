import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDataPlane } from '../../support/data-plane.ts';
import {
  type Asked,
  type ClientProgram,
  type Command,
  HEARD,
  type Heard,
  script,
  startClient,
  startServer,
} from './support/programs.ts';
import { pythonWithMcp } from './support/python.ts';
import { gateway, mcpSetup, target } from './support/setup.ts';

/*
 * MCP-001: clients and servers of three libraries (two generations of the protocol's own, and the one for Python), each with each: what a
 * client gets through the proxy, from one target or from one of two, is what it gets without it. What is not installed is missed aloud.
 */

const PYTHON = await pythonWithMcp();
const python = (...argv: Command): readonly Command[] => (PYTHON === undefined ? [] : [[PYTHON, ...argv]]);
const isInstalled = hasSecondGeneration();
const node = (name: string): Command => [process.execPath, script(name)];

const CLIENTS = new Map<string, Command>([
  ['sdk 1', node('client-1.mjs')],
  ...(isInstalled ? ([['sdk 2', node('client-2.mjs')]] as const) : []),
  ...python(script('client.py')).map((command) => ['python', command] as const),
]);

/** The programs, each with the servers whose ports it prints. */
const SERVER_PROGRAMS: readonly (readonly [names: readonly string[], command: Command])[] = [
  [['sdk 1'], node('server-1.mjs')],
  ...(isInstalled ? ([[['sdk 2'], node('server-2.mjs')]] as const) : []),
  ...python(script('server.py')).map((command) => [['python', 'python over SSE'], command] as const),
];
/** In the order in which they are paired: a target of each, and the one after it. */
const SERVERS = SERVER_PROGRAMS.flatMap(([names]) => names);

// Python takes a second for each: CI makes a quarter of the pairs, and its next commits make the others.
const SHARES = 4;
const { PROPERTY_SEED: seedOfCommit } = process.env;
function drawn<Of>(all: readonly Of[], client: string): readonly Of[] {
  if (seedOfCommit === undefined) return all;
  const turn = Number(seedOfCommit) + [...CLIENTS.keys()].indexOf(client);
  return all.filter((_, index) => (index + turn) % SHARES === 0);
}

/** What runs from the first test to the last: loading takes Python seconds, and each question is a connection of its own anyway. */
const running: AsyncDisposable[] = [];
const ports = new Map<string, number>();
const clients = new Map<string, ClientProgram>();
beforeAll(async () => {
  for (const [name, command] of CLIENTS) clients.set(name, startClient(command));
  running.push(...clients.values());
  await Promise.all(
    SERVER_PROGRAMS.map(async ([names, command]) => {
      const server = await startServer(command);
      running.push(server);
      for (const [index, name] of names.entries()) ports.set(name, server.ports[index] ?? 0);
    }),
  );
}, 60_000);
afterAll(async () => {
  for (const program of running) await program[Symbol.asyncDispose]();
});

describe.each([...CLIENTS.keys()])('a client of %s gets from', (clientName) => {
  const targets = drawn(SERVERS, clientName);
  const both = drawn(pairs(SERVERS), clientName);
  let client: ClientProgram;
  beforeAll(() => {
    client = clientOf(clientName);
  });

  test.each(targets)('one target of %s what the server itself says', async (name) => {
    await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [targetOf('alpha', name)] }));
    const expected = await directly(client, name, OF_ONE);
    expectWork(expected);
    expect(await through(client, plane.port, OF_ONE)).toEqual(expected);
  });

  test.each(both)('each of two targets, %s and %s, what it says itself', async (alpha, beta) => {
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [targetOf('alpha', alpha), targetOf('beta', beta)] }),
    );
    for (const [own, name] of [
      ['alpha', alpha],
      ['beta', beta],
    ] as const) {
      const heard = await through(client, plane.port, OF_SESSIONS.map(under(own)));
      expect(without(own, heard)).toEqual(await directly(client, name, OF_SESSIONS));
    }
  });

  test.each(targets)('one target of %s the same over the older transport', async (name) => {
    await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [targetOf('alpha', name)] }));
    const url = new URL('/sse', gateway(plane.port)).href;
    const heard = await client.follow({ url, transport: 'sse', mode: 'legacy', script: OF_ONE });
    expect(comparable(heard)).toEqual(await directly(client, name, OF_ONE));
  });

  test.each(targets)('one target of %s the same when it begins without a session', async (name) => {
    await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [targetOf('alpha', name)] }));
    const expected = await directly(client, name, ASKED, 'auto');
    expect(await through(client, plane.port, ASKED, 'auto')).toEqual(expected);
  });

  test.each(both)('each of two targets, %s and %s, the same without a session', async (...names) => {
    const [alpha, beta] = names;
    await using plane = await startDataPlane((port) =>
      mcpSetup(port, { targets: [targetOf('alpha', alpha), targetOf('beta', beta)] }),
    );
    for (const [own, name] of [
      ['alpha', alpha],
      ['beta', beta],
    ] as const) {
      const heard = await through(client, plane.port, ASKED.map(under(own)), 'auto');
      expect(without(own, heard)).toEqual(await directly(client, name, ASKED, 'auto'));
    }
  });
});

/** Those of the first generation know no revision without sessions. */
const CLIENTS_WITHOUT_SESSIONS = [...CLIENTS.keys()].filter((name) => name !== 'sdk 1');

test.each(CLIENTS_WITHOUT_SESSIONS)(
  'a client of %s needs no session, whatever its target speaks',
  async (clientName) => {
    const client = clientOf(clientName);
    for (const name of SERVERS) {
      await using plane = await startDataPlane((port) => mcpSetup(port, { targets: [targetOf('alpha', name)] }));
      const { outcomes } = await through(client, plane.port, [['revision']], 'auto');
      expect(outcomes).toEqual(['2026-07-28']);
    }
  },
);

/** Servers that have subscriptions, and the tool that tells of changes. */
const TELLING = SERVERS.filter((name) => name === 'sdk 2' || name === 'python');

test.each(CLIENTS_WITHOUT_SESSIONS)(
  'a client of %s hears by its subscription what it hears without the proxy',
  async (clientName) => {
    const client = clientOf(clientName);
    for (const [name, other] of pairs(TELLING)) {
      const expected = await directly(client, name, [listening('tell', 'memo://note')], 'auto');
      expect(expected.heard.map(([method]) => method)).toEqual(TOUCH);
      expect(JSON.stringify(expected.outcomes)).toContain('"resourceSubscriptions":["memo://note"]');
      await using one = await startDataPlane((port) => mcpSetup(port, { targets: [targetOf('alpha', name)] }));
      expect(await through(client, one.port, [listening('tell', 'memo://note')], 'auto')).toEqual(expected);
      await using two = await startDataPlane((port) =>
        mcpSetup(port, { targets: [targetOf('alpha', name), targetOf('beta', other)] }),
      );
      const heard = await through(client, two.port, [listening('alpha_tell', 'alpha+memo://note')], 'auto');
      expect(without('alpha', heard)).toEqual(expected);
    }
  },
);

function listening(tool: string, uri: string): Script[number] {
  return ['listen', { toolsListChanged: true, resourceSubscriptions: [uri] }, tool, ...TOUCH];
}

type Mode = Asked['mode'];
type Script = Asked['script'];

/** What every revision of the protocol answers alike. */
const ASKED: Script = [
  ['tools'],
  ['call', 'echo', { text: 'hi' }],
  ['call', 'echo', { text: 1 }],
  ['call', 'broken', {}],
  ['call', 'add', { a: 1, b: 2 }],
  ['call', 'nobody', {}],
  ['call', 'link', {}],
  ['prompts'],
  ['prompt', 'greet', { who: 'you' }],
  ['resources'],
  ['templates'],
  ['read', 'memo://note'],
  ['read', 'memo://any/x'],
  ['read', 'memo://none'],
  ['complete', 'greet', { name: 'who', value: 'y' }],
];

/** What the tool `touch` tells. */
const TOUCH = ['notifications/resources/updated', 'notifications/tools/list_changed'];

/** With what only sessions have: the server asks and tells, in its answer and on a stream of its own. */
const OF_SESSIONS: Script = [
  ...ASKED,
  ['prompt', 'nobody', {}],
  ['ping'],
  ['call', 'slow', {}],
  ['call', 'work', {}],
  ['call', 'roots', {}],
  ['callUntil', 'touch', ...TOUCH],
];

/** With what two say together, which is no copy of either. */
const OF_ONE: Script = [['introduction'], ['level', 'info'], ...OF_SESSIONS];

/** Of these the first argument is a name; of `read` it is a URI. */
const OF_NAMED: ReadonlySet<string> = new Set(['call', 'callUntil', 'prompt', 'complete']);
const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'];

function targetOf(name: string, server: string): object {
  const sse = server.endsWith('over SSE') ? { protocol: 'SSE' } : {};
  return target(name, portOf(server), sse);
}

/** What a server said when it was asked so: it says the same however often that is, so it is asked once. */
const saidDirectly = new WeakMap<ClientProgram, Map<string, Promise<Heard>>>();

async function directly(client: ClientProgram, server: string, asked: Script, mode: Mode = 'legacy'): Promise<Heard> {
  const ofClient = saidDirectly.get(client) ?? new Map<string, Promise<Heard>>();
  saidDirectly.set(client, ofClient);
  const question = JSON.stringify([server, asked, mode]);
  const answer = ofClient.get(question) ?? askDirectly(client, server, asked, mode);
  ofClient.set(question, answer);
  return answer;
}

/** Asks the server itself, in its own transport. */
async function askDirectly(client: ClientProgram, server: string, asked: Script, mode: Mode): Promise<Heard> {
  const [transport, path] = server.endsWith('over SSE')
    ? (['sse', '/sse'] as const)
    : (['streamable', '/mcp'] as const);
  const url = `http://127.0.0.1:${portOf(server)}${path}`;
  return comparable(await client.follow({ url, transport, mode, script: asked }));
}

async function through(client: ClientProgram, port: number, asked: Script, mode: Mode = 'legacy'): Promise<Heard> {
  const url = gateway(port).href;
  return comparable(await client.follow({ url, transport: 'streamable', mode, script: asked }));
}

function portOf(server: string): number {
  const port = ports.get(server);
  if (port === undefined) throw new Error(`no server ${server}`);
  return port;
}

function clientOf(name: string): ClientProgram {
  const client = clients.get(name);
  if (client === undefined) throw new Error(`no client of ${name}`);
  return client;
}

/** The same under the names that what a target has goes by among several. */
function under(own: string): (asked: Script[number]) => Script[number] {
  return ([verb, name, ...rest]) => {
    if (OF_NAMED.has(verb)) return [verb, `${own}_${String(name)}`, ...rest];
    return verb === 'read' ? [verb, `${own}+${String(name)}`] : [verb, ...(name === undefined ? [] : [name]), ...rest];
  };
}

/** What is one target's of what both say, under its own names. */
function without(own: string, { outcomes, heard }: Heard): Heard {
  const isOwn = (item: unknown): boolean => new RegExp(`"${own}[_+]`).test(JSON.stringify(item));
  const text = JSON.stringify({ outcomes: outcomes.map((outcome) => keepItems(outcome, isOwn)), heard });
  return HEARD.parse(JSON.parse(text.replaceAll(new RegExp(`\\b${own}[_+]`, 'g'), '')));
}

function keepItems(outcome: unknown, isKept: (item: unknown) => boolean): unknown {
  if (typeof outcome !== 'object' || outcome === null) return outcome;
  const entries = Object.entries(outcome).map(([name, value]: [string, unknown]) => [
    name,
    LISTS.includes(name) && Array.isArray(value) ? value.filter(isKept) : value,
  ]);
  return Object.fromEntries(entries) as unknown;
}

/**
 * Without what depends on the revision that client and server agreed on, and with what a stream of its own told once, in one order: it is
 * told again until the stream is there.
 */
function comparable(said: Heard): Heard {
  const text = JSON.stringify(said, (name, value: unknown) => (OF_REVISION.has(name) ? undefined : value));
  const { outcomes, heard } = HEARD.parse(JSON.parse(text));
  const once = TOUCH.flatMap((method) => heard.filter((each) => each[0] === method).slice(0, 1));
  return { outcomes, heard: [...heard.filter(([method]) => !TOUCH.includes(method)), ...once] };
}
const OF_REVISION: ReadonlySet<string> = new Set(['resultType', 'ttlMs', 'cacheScope', '_meta', 'execution']);

/** Each with the one after it, in a circle. */
function pairs(names: readonly string[]): (readonly [string, string])[] {
  return names.map((name, index) => [name, names[(index + 1) % names.length] ?? name]);
}

/** That two say the same is worth something when it is this. */
function expectWork({ outcomes, heard }: Heard): void {
  const texts = JSON.stringify(outcomes);
  for (const text of ['be kind', 'hi', 'no', 'greet you', 'noted', 'any x', 'you', 'sampled accept me', 'a file:///a'])
    expect(texts).toContain(text);
  expect(heard.map(([method]) => method)).toEqual([
    'sampling/createMessage',
    'elicitation/create',
    'notifications/message',
    'roots/list',
    ...TOUCH,
  ]);
}

function hasSecondGeneration(): boolean {
  try {
    for (const name of ['client', 'server', 'node']) import.meta.resolve(`@modelcontextprotocol/${name}`);
    return true;
  } catch {
    console.warn('@modelcontextprotocol/client, server and node are not tested with the proxy: npm ci installs them');
    return false;
  }
}
