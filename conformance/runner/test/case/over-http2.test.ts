import { describe, expect, test } from 'vitest';
import { allOverHttp2, overHttp2 } from '../../case/over-http2.ts';
import type { Step } from '../../steps/step.ts';
import { concreteCase } from '../support/concrete-case.ts';

const step = (kind: string, input: unknown): Step => ({ id: 's', kind, input, at: [] });
const withSteps = (...steps: readonly Step[]): ReturnType<typeof concreteCase> =>
  concreteCase('a.case', { layer: 'wire', steps, peers: { up: { kind: 'http' } } });
const versions = (...steps: readonly Step[]): readonly unknown[] | undefined =>
  overHttp2(withSteps(...steps))?.steps.map(({ input }) => input);

describe('a case over HTTP/2', () => {
  test('says so in each request, also of steps within steps', () => {
    expect(
      versions(
        step('http', { GET: '/' }),
        step('llm', { user: 'hi' }),
        step('a2a', { version: '0.3' }),
        step('repeat', { times: 3, until: { status: 200 }, step: { id: 'one', http: { GET: '/' }, expect: {} } }),
        step('parallel', [{ id: 'two', mcp: { list: 'tools' } }]),
      ),
    ).toEqual([
      { GET: '/', version: '2' },
      { user: 'hi', httpVersion: '2' },
      { version: '0.3', httpVersion: '2' },
      { times: 3, until: { status: 200 }, step: { id: 'one', http: { GET: '/', version: '2' }, expect: {} } },
      [{ id: 'two', mcp: { list: 'tools', httpVersion: '2' } }],
    ]);
  });

  test('needs a proxy that speaks it, and has peers of both versions', () => {
    const peers = { up: { kind: 'http' }, models: { kind: 'llm', tls: true }, limits: { kind: 'ratelimit' } };
    const over = overHttp2({ ...withSteps(step('http', { GET: '/' })), needs: ['traffic.csrf'], peers });
    expect(over?.needs).toEqual(['traffic.csrf', 'frontend.http2']);
    expect(over?.peers).toEqual({ ...peers, up: { kind: 'http', http2: true } });
  });

  test('leaves alone what goes to a port by its number, and what says how a connection of HTTP/1.1 goes on', () => {
    const steps = [
      step('http', { GET: '/', port: 9 }),
      step('http', { method: 'CONNECT', path: 'a:1' }),
      step('http', { GET: '/', headers: { Connection: 'close' } }),
      step('http', { GET: '/', headers: [['Host', 'a']] }),
      step('apply', { add: [{ spec: { frontend: { http: { http1MaxHeaders: 2 } } } }] }),
    ];
    expect(versions(...steps)).toEqual(steps.map(({ input }) => input));
  });

  test.each([
    ['a step that says its version', withSteps(step('http', { GET: '/' }), step('http', { GET: '/', version: '1.1' }))],
    ['a step of TLS', withSteps(step('http', { GET: '/', tls: true }))],
    ['trailers', withSteps(step('repeat', { times: 2, step: { http: { POST: '/', trailers: { a: 'b' } } } }))],
    ['no request', withSteps(step('raw', { send: 'GET / HTTP/1.1' }))],
    ['another layer', { ...withSteps(step('http', { GET: '/' })), layer: 'trace' as const }],
    [
      'an answer that HTTP/2 does not have',
      { ...withSteps(step('http', { GET: '/' })), peers: { up: { kind: 'http', replies: [{ raw: 'HTTP/1.1 200' }] } } },
    ],
    [
      'a fault of HTTP/1.1',
      {
        ...withSteps(step('http', { GET: '/' })),
        peers: { up: { kind: 'http', on: [{ reply: { fault: 'bad-chunk' } }] } },
      },
    ],
    ['a peer of HTTP/1.1 alone', { ...withSteps(step('http', { GET: '/' })), peers: { up: { kind: 'cloud-a' } } }],
  ])('is none with %s', (_, one) => {
    expect(allOverHttp2([one])).toEqual([]);
  });
});
