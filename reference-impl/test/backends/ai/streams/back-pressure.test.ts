import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { get, simpleSetup, startDataPlane, startUpstream } from '../../../support/data-plane.ts';

// A provider that never stops and a client that reads one word: what the provider could send before it came to a stop is what the proxy
// and the kernel hold. Round trips through the same proxy take the place of a clock.

const MIB = 1024 * 1024;
const ENDLESS = 192 * MIB;
/** Two connections with the largest buffers a kernel usually gives them; far from endless. */
const HELD = 32 * MIB;
const ROUND_TRIPS = 100;

const words = 'word '.repeat(16 * 1024);
const WORD = `data: ${JSON.stringify({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content: words }, finish_reason: null }],
})}\n\n`;

/** Writes words as fast as they are taken; tells how many bytes were. */
function endlessProvider(): {
  readonly answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly sent: () => number;
} {
  let sent = 0;
  const stream = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const gone = once(response, 'close');
    while (sent < ENDLESS && !response.destroyed) {
      sent += WORD.length;
      if (!response.write(WORD)) await Promise.race([once(response, 'drain'), gone]);
    }
    response.end();
  };
  return {
    sent: () => sent,
    answer: (request, response) => {
      if (request.method === 'GET') response.end('hello');
      else void stream(response);
    },
  };
}

function setup(port: number, provider: number, format: string): readonly object[] {
  const models = {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { name: 'models' },
    spec: {
      ai: { provider: { custom: { formats: [{ type: 'Completions' }] }, host: '127.0.0.1', port: provider } },
      policies: { ai: { routes: { '*': format } } },
    },
  };
  const route = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'models' },
    spec: {
      parentRefs: [{ name: 'gw' }],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/models' } }],
          backendRefs: [{ group: 'proxy.example', kind: 'ProxyBackend', name: 'models' }],
        },
      ],
    },
  };
  return [...simpleSetup(port, provider), models, route];
}

function ask(port: number, format: string): Promise<IncomingMessage> {
  const question = {
    model: 'm',
    max_tokens: 9,
    stream: true,
    input: 'hi',
    messages: [{ role: 'user', content: 'hi' }],
  };
  const outgoing = httpRequest({ host: '127.0.0.1', port, path: `/models/${format}`, method: 'POST' });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  outgoing.end(JSON.stringify(question));
  return answered;
}

async function roundTrips(port: number): Promise<void> {
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1) await get(port);
}

test.each([
  ['Completions', 'in the format of the provider'],
  ['Messages', 'in another format'],
  ['Responses', 'in another format'],
])('a slow client of %s holds a fast provider back, %s', async (format) => {
  const provider = endlessProvider();
  await using upstream = await startUpstream(provider.answer);
  await using plane = await startDataPlane((port) => [...setup(port, upstream.port, format)]);
  const response = await ask(plane.port, format);
  await once(response, 'readable');
  let held: number;
  do {
    held = provider.sent();
    await roundTrips(plane.port);
  } while (provider.sent() > held && held < HELD);
  expect(held).toBeLessThan(HELD);

  let read = 0;
  for await (const chunk of response) {
    read += Buffer.from(chunk).length;
    if (read > held + MIB) break;
  }
  expect(provider.sent()).toBeGreaterThan(held);
  response.destroy();
});
