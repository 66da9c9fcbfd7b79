import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../base/clock.ts';
import { LINGER, LONGEST_LINGER } from '../../server/linger.ts';
import { type DataPlane, policy, raw, simpleSetup, startDataPlane } from '../support/data-plane.ts';

/* A request that is refused when the proxy has read as much of its body as it may hold, on a connection that is kept. */

/** Tasks that wait for the time after which nobody is listened to any more, and a time of day that stands. */
function standingClock(): { readonly clock: Clock; readonly waiting: (() => void)[]; now: number } {
  const waiting: (() => void)[] = [];
  const standing = {
    now: 0,
    waiting,
    clock: {
      ...systemClock,
      monotonic: () => standing.now,
      after: (delay: number, task: () => void) => {
        if (delay !== LINGER) return systemClock.after(delay, task);
        waiting.push(task);
        return () => undefined;
      },
    },
  };
  return standing;
}

/** An LLM route whose bodies may have 1 KiB. */
function startSmall(clock: Clock = systemClock): Promise<DataPlane> {
  const backend = { group: 'proxy.example', kind: 'ProxyBackend', name: 'llm' };
  return startDataPlane(
    (port) => [
      ...simpleSetup(port, 1, { rule: { backendRefs: [backend] } }),
      policy('Gateway', { frontend: { http: { maxBufferSize: '1Ki' } } }),
      {
        apiVersion: 'proxy.example/v1alpha1',
        kind: 'ProxyBackend',
        metadata: { name: 'llm' },
        spec: { ai: { provider: { vendor1: {}, host: '127.0.0.1', port: 1 } } },
      },
    ],
    { clock },
  );
}

function head(length: number, ...more: string[]): string {
  return ['POST /v1/chat/completions HTTP/1.1', 'Host: a', `Content-Length: ${length}`, ...more, '', ''].join('\r\n');
}

/** A client that has its answer and still owes most of its body. */
async function refusedInTheMiddle(port: number): Promise<Socket> {
  const client = connect(port, '127.0.0.1', () => client.write(head(1e9) + 'x'.repeat(5000)));
  client.setEncoding('latin1');
  expect(String(await once(client, 'data'))).toMatch(/^HTTP\/1\.1 413 /);
  return client.on('error', () => undefined).resume();
}

describe('the rest of a body that is too large', () => {
  it('is thrown away, and the next request of the connection is answered', async () => {
    await using plane = await startSmall();
    const body = 'x'.repeat(6_000_000);
    const answers = await raw(plane.port, head(body.length) + body + head(body.length, 'Connection: close') + body);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 413']);
  });

  it('is waited for only as long as something of it comes', async () => {
    const standing = standingClock();
    await using plane = await startSmall(standing.clock);
    const client = await refusedInTheMiddle(plane.port);
    await expect.poll(() => standing.waiting.length).toBe(1);
    standing.waiting.shift()?.();
    await closed(client);
  });

  it('is cut off when it does not come to an end', async () => {
    const standing = standingClock();
    await using plane = await startSmall(standing.clock);
    const client = await refusedInTheMiddle(plane.port);
    await expect.poll(() => standing.waiting.length).toBe(1);
    // Until bytes were seen to come the task would close: what is written arrives before the answer to a second connection.
    const flooding = flood(client);
    await settled(plane.port);
    standing.waiting.shift()?.();
    expect(standing.waiting).toHaveLength(1);
    await settled(plane.port);
    standing.now = LONGEST_LINGER;
    standing.waiting.shift()?.();
    await flooding;
  });
});

/** Writes until the connection is gone. */
function flood(client: Socket): Promise<unknown> {
  const write = (): void => {
    client.write('x'.repeat(1000), (error) => {
      if (!error) setImmediate(write);
    });
  };
  write();
  return closed(client);
}

/** Resolves when the connection is gone, with an error or without. */
function closed(client: Socket): Promise<unknown> {
  return new Promise((resolve) => client.once('close', resolve));
}

/** Some turns of both ends' event loops later. */
async function settled(port: number): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await raw(port, `${head(2, 'Connection: close')}{}`);
}
