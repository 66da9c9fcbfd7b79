import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { peerKinds, peerSchema } from '../../peers/peer-schema.ts';
import { PeerError, startPeers } from '../../peers/peers.ts';
import type { Peers } from '../../peers/peers.ts';

async function started(...args: Parameters<typeof startPeers>): Promise<Peers> {
  const peers = await startPeers(...args);
  onTestFinished(peers.stop);
  return peers;
}

function messages(spec: unknown): readonly string[] {
  const parsed = peerSchema.safeParse(spec);
  return parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}

describe('peers', () => {
  test('variables lead to the peer that answers with its name', async () => {
    const peers = await started({ a: { kind: 'http' }, b: { kind: 'http' } });
    const { a, b } = peers.variables().peers;
    expect(a?.authority).toBe(`127.0.0.1:${a?.port}`);
    expect(await (await fetch(`${b?.url}/x`)).text()).toBe('b');
    expect(peers.received('a')).toEqual([]);
    expect(peers.received('b')).toMatchObject([{ method: 'GET', path: '/x' }]);
    expect(peers.attempted('b')).toBe(1);
    expect(peers.fails()).toEqual([]);
  });

  test('64 peers start and stop', async () => {
    const specs = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`p${n}`, { kind: 'http' }]));
    const peers = await startPeers(specs);
    const ports = new Set(peers.names.map((name) => peers.get(name).port));
    expect(ports.size).toBe(64);
    await peers.stop();
    await expect(fetch(peers.variables().peers['p7']?.url ?? '')).rejects.toThrow('fetch failed');
  });

  test('a member that a row set to null is left out, except inside json', async () => {
    const peers = await started({ a: { kind: 'http', fault: null, reply: { status: null, json: { x: null } } } });
    const answer = await fetch(peers.variables().peers['a']?.url ?? '');
    expect([answer.status, await answer.json()]).toEqual([200, { x: null }]);
  });

  test('one bad peer stops the others and is named', async () => {
    const failed = startPeers({ good: { kind: 'http' }, bad: { kind: 'http', reply: { status: 1000 } } });
    await expect(failed).rejects.toBeInstanceOf(PeerError);
    await expect(failed).rejects.toThrow(/^peer bad: /);
    await expect(startPeers({ x: { kind: 'nobody' } })).rejects.toThrow(
      `peer x: unknown kind nobody; known kinds: ${peerKinds.join(', ')}`,
    );
  });

  test('an unknown peer name lists the known ones', async () => {
    const peers = await started({ a: { kind: 'http' } });
    expect(() => peers.received('b')).toThrow('no peer b; this case has: a');
  });

  test('gates that the runner owns reach the peers', async () => {
    const peers = await started({ a: { kind: 'http', reply: { chunks: ['1', { gate: 'g', giveUp: '60s' }, '2'] } } });
    const answer = fetch(peers.variables().peers['a']?.url ?? '');
    await answer;
    expect(peers.gates.outcomes()).toEqual({ g: 'waiting' });
    peers.gates.open('g');
    expect(await (await answer).text()).toBe('12');
  });
});

describe('the peers section of a case', () => {
  test.each([
    [{ kind: 'http', reply: { status: '${row.status}', body: { '~fill': '${row.n}' } } }],
    [{ kind: 'http', fault: '${row.fault}' }],
    [{ kind: 'http', replies: [{ chunks: ['a', { gate: 'g', giveUp: '${row.t}' }] }, { fail: 'no' }] }],
    [{ kind: 'http', reply: { headers: { 'x-${row.name}': '${row.value}' } } }],
    [{ kind: 'tcp', fault: 'refuse' }],
  ])('accepts %j', (spec) => {
    expect(messages(spec)).toEqual([]);
  });

  test.each([
    [{ kind: 'htp' }, /^kind: unknown peer kind; known kinds: .*http, .*tcp/],
    [{ kind: 'http', replay: {} }, ': Unrecognized key: "replay"'],
    [{ kind: 'http', reply: { body: 'a', json: 1 } }, 'reply: only one of body, json, chunks, echo, raw'],
    [{ kind: 'http', reply: { status: 99 } }, 'reply.status: Too small: expected number to be >=200'],
    [{ kind: 'http', reply: { chunks: [{ gat: 'x' }] } }, /^reply\.chunks\.0: text, \{text\}/],
    [{ kind: 'http', fault: 'reste' }, /^fault: .*reset, hang/],
    [{ kind: 'http', reply: { chunks: [{ gate: 'g', giveUp: '2 sec' }] } }, /^reply\.chunks\.0/],
  ])('rejects %j with a message', (spec, message) => {
    expect(messages(spec)).toEqual([typeof message === 'string' ? message : expect.stringMatching(message)]);
  });

  test('has a JSON schema for editors', () => {
    const schema = JSON.stringify(z.toJSONSchema(peerSchema, { io: 'input' }));
    expect(schema).toContain('"const":"http"');
    expect(schema).toContain('half-close');
  });
});
