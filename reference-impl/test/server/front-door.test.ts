import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { get, policy, raw, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

const allow = (expression: string): object => ({ policy: { matchExpressions: [expression] } });

describe('the front door', () => {
  it('lets those connect that the rules let connect, and closes the others without a word', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      policy('Gateway', {
        frontend: { networkAuthorization: allow("cidr('127.0.0.0/8').containsIP(source.address)") },
      }),
    ]);
    expect(await get(plane.port)).toContain('HTTP/1.1 200 OK');
    await plane.configure([
      ...simpleSetup(plane.port, upstream.port),
      policy('Gateway', { frontend: { networkAuthorization: allow("cidr('10.0.0.0/8').containsIP(source.address)") } }),
    ]);
    expect(await get(plane.port)).toBe('');
    expect(upstream.received).toHaveLength(1);
  });

  it('tells the rules where the client came in', async () => {
    await using upstream = await startUpstream();
    const setup = (port: number, rule: string): object[] => [
      ...simpleSetup(port, upstream.port),
      policy('Gateway', { frontend: { networkAuthorization: allow(rule) } }),
    ];
    await using plane = await startDataPlane((port) => setup(port, `destination.port == ${port}`));
    expect(await get(plane.port)).toContain('HTTP/1.1 200 OK');
    await plane.configure(setup(plane.port, "destination.address == '127.0.0.1' && !has(destination.hostname)"));
    expect(await get(plane.port)).toContain('HTTP/1.1 200 OK');
    await plane.configure(setup(plane.port, `destination.port != ${plane.port}`));
    expect(await get(plane.port)).toBe('');
  });

  it('asks the rules of every Gateway that shares the port', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      policy('Gateway', { frontend: { networkAuthorization: allow("source.address == '127.0.0.1'") } }),
      ...second(port),
    ]);
    expect(await get(plane.port)).toBe('');
    expect(upstream.received).toEqual([]);
  });

  it('serves a request whose first bytes come one by one, and one that begins like the preface of HTTP/2 and is none', async () => {
    await using upstream = await startUpstream();
    await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
    for (const method of ['PRI', 'PRINT', 'PUT']) {
      const head = `${method} /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
      expect(await oneByOne(plane.port, head)).toMatch(method === 'PUT' ? /^HTTP\/1.1 200/ : /^HTTP\/1.1 4/);
    }
  });

  it('closes a connection that says nothing, with 408', async () => {
    await using plane = await startDataPlane((port) => simpleSetup(port, 9), { limits: { headTimeout: 50 } });
    expect(await raw(plane.port, '')).toContain('408 Request Timeout');
    expect(await raw(plane.port, 'PRI *')).toContain('408 Request Timeout');
  });
});

/** Another Gateway on the same port, which lets nobody of here connect. */
function second(port: number): object[] {
  return [
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      metadata: { name: 'other' },
      spec: {
        gatewayClassName: 'x',
        listeners: [{ name: 'http', port, hostname: 'other.test', protocol: 'HTTP' }],
      },
    },
    {
      apiVersion: 'proxy.example/v1alpha1',
      kind: 'ProxyPolicy',
      metadata: { name: 'closed' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'other' }],
        frontend: { networkAuthorization: allow("source.address == '203.0.113.1'") },
      },
    },
  ];
}

/** Sends each byte when the one before has left, and gives what comes back. */
function oneByOne(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      const next = (index: number): void => {
        if (index < text.length) socket.write(text.charAt(index), () => setImmediate(next, index + 1));
      };
      next(0);
    });
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      answer += chunk;
    });
    socket.on('close', () => {
      resolve(answer);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
  });
}
