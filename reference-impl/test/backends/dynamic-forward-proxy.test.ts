import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { destination } from '../../upstream/endpoints.ts';
import { certificateSecret, makeCertificate } from '../support/certificates.ts';
import { policy, simpleSetup, startDataPlane, startUpstream, type DataPlane } from '../support/data-plane.ts';

/** A route to wherever a request wants to go, with the policies of `more`. */
function anywhere(port: number, ...more: readonly object[]): object[] {
  const backend = {
    apiVersion: 'proxy.example/v1alpha1',
    kind: 'ProxyBackend',
    metadata: { name: 'b' },
    spec: { dynamicForwardProxy: {} },
  };
  return [...simpleSetup(port, 1).slice(0, 2), backend, ...more];
}

function allowing(expression: string): object {
  return policy('HTTPRoute', {
    traffic: { authorization: { action: 'Allow', policy: { matchExpressions: [expression] } } },
  });
}

/** Status and body for a request with this Host, and whether it left the connection usable for the next one. */
function ask({ port }: DataPlane, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, headers: { host }, setHost: false }, (response) => {
      let text = `${response.statusCode} `;
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve(text);
      });
    });
    request.on('error', reject).end();
  });
}

test('DFP-001, DFP-003: each request goes where its Host says, with that Host', async () => {
  await using one = await startUpstream((_, response) => response.end('one'));
  await using two = await startUpstream((_, response) => response.end('two'));
  await using plane = await startDataPlane((port) => anywhere(port, allowing('true')));
  for (const [{ port }, text] of [
    [one, 'one'],
    [two, 'two'],
    [one, 'one'],
  ] as const) {
    expect(await ask(plane, `127.0.0.1:${port}`)).toBe(`200 ${text}`);
  }
  expect(await ask(plane, `localhost:${two.port}`)).toBe('200 two');
  const hosts = two.received.map(({ rawHeaders }) => rawHeaders[rawHeaders.indexOf('host') + 1]);
  expect(hosts).toEqual([`127.0.0.1:${two.port}`, `localhost:${two.port}`]);
});

test('DFP-004: a destination that is not allowed is not dialled', async () => {
  await using one = await startUpstream((_, response) => response.end('one'));
  await using two = await startUpstream((_, response) => response.end('two'));
  const rule = `request.host.endsWith(':${one.port}')`;
  await using plane = await startDataPlane((port) => anywhere(port, allowing(rule)));
  expect(await ask(plane, `127.0.0.1:${one.port}`)).toBe('200 one');
  expect(await ask(plane, `127.0.0.1:${two.port}`)).toBe('403 authorization failed');
  expect(two.received).toEqual([]);
});

test('without any access control nobody is dialled', async () => {
  await using one = await startUpstream();
  await using plane = await startDataPlane((port) => anywhere(port));
  expect(await ask(plane, `127.0.0.1:${one.port}`)).toMatch(/^403 /);
  expect(one.received).toEqual([]);
});

test('an authorization of connections is access control too', async () => {
  await using one = await startUpstream((_, response) => response.end('one'));
  const connections = { action: 'Allow', policy: { matchExpressions: ["source.address != ''"] } };
  const access = policy('Gateway', { frontend: { networkAuthorization: connections } });
  await using plane = await startDataPlane((port) => anywhere(port, access));
  expect(await ask(plane, `127.0.0.1:${one.port}`)).toBe('200 one');
});

test('DFP-002: over TLS the Host has to name what the handshake named, and nobody else is dialled', async () => {
  await using one = await startUpstream((_, response) => response.end('one'));
  const tls = { certificateRefs: [{ name: 'server' }] };
  await using plane = await startDataPlane((port) => {
    const [gateway, ...rest] = simpleSetup(port, 1, {
      gateway: { listeners: [{ name: 'https', port, protocol: 'HTTPS', tls }] },
    });
    const secret = certificateSecret('server', makeCertificate('server', { names: ['DNS:localhost'] }));
    return [gateway ?? {}, ...rest.slice(0, 1), ...anywhere(port, allowing('true')).slice(2), secret];
  });
  const askOverTls = (servername: string, host: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: plane.port, servername, rejectUnauthorized: false, headers: { host } };
      const request = httpsRequest({ ...options, agent: false }, (response) => {
        let text = `${response.statusCode} `;
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          resolve(text);
        });
      });
      request.on('error', reject).end();
    });
  expect(await askOverTls('localhost', `LocalHost:${one.port}`)).toBe('200 one');
  expect(await askOverTls('LOCALHOST', `localhost:${one.port}`)).toBe('200 one');
  expect(await askOverTls('', `127.0.0.1:${one.port}`)).toBe('200 one');
  expect(await askOverTls('elsewhere.test', `localhost:${one.port}`)).toBe('421 misdirected request');
  expect(one.received).toHaveLength(3);
});

test.each([
  ['shop.test', { host: 'shop.test', port: 80 }],
  ['Shop.Test:8080', { host: 'shop.test', port: 8080 }],
  ['shop.test:', { host: 'shop.test', port: 80 }],
  ['[::1]:443', { host: '::1', port: 443 }],
  ['127.0.0.1:1', { host: '127.0.0.1', port: 1 }],
  ['shop.test:0', undefined],
  ['shop.test:65536', undefined],
  ['[shop]:1', undefined],
  ['::1:80', undefined],
  ['user@shop.test', undefined],
  ['', undefined],
])('the authority %s', (authority, expected) => {
  expect(destination(authority, 80)).toEqual(expected && { kind: 'tcp', ...expected });
});

test('whatever the authority, a destination has a host without delimiters and a port that exists', () => {
  const pieces = fc.constantFrom(
    'a',
    'B',
    '.',
    ':',
    '[',
    ']',
    '0',
    '65535',
    '65536',
    '::1',
    '%',
    '@',
    '/',
    ' ',
    '\0',
    'é',
  );
  const authorities = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(authorities, (authority) => {
      const found = destination(authority, 80);
      if (found?.kind !== 'tcp') return found === undefined;
      return (isIP(found.host) === 6 || /^[a-z0-9_.-]+$/.test(found.host)) && found.port >= 1 && found.port <= 65_535;
    }),
    { numRuns: 2000 },
  );
});
