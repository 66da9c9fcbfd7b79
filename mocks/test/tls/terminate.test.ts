import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import type { Mock } from '../../mock.ts';
import { callPeers, serverIdentity, suiteCertificates } from '../../tls/suite.ts';
import { viewsOf, start } from '../support/start.ts';

const GET = 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';

/** The whole answer, or the code of the error that ended the conversation. */
async function talk(mock: Mock, options: ConnectionOptions = {}): Promise<string> {
  const socket: TLSSocket = connect({
    host: mock.host,
    port: mock.port,
    ca: suiteCertificates().ca,
    servername: 'peer.test',
    ...options,
  });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  const failure = new Promise<string>((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  socket.write(GET);
  return Promise.race([failure, once(socket, 'close').then(() => text)]);
}

function namesOf(...args: Parameters<typeof serverIdentity>): string {
  return new X509Certificate(serverIdentity(...args).certificate).subjectAltName ?? '';
}

test('a certificate is for the address the mock listens on, unless its script names others', () => {
  expect(namesOf(true, '192.0.2.1')).toContain('IP Address:192.0.2.1');
  expect(namesOf(true)).not.toContain('192.0.2.1');
  expect(namesOf({ names: ['only.test'] }, '192.0.2.1')).toBe('DNS:only.test');
});

describe('TLS of a mock', () => {
  test('the suite CA vouches for the peer, by name and by address', async () => {
    const mock = await start({ kind: 'http', tls: true });
    expect(mock.tls).toBe(true);
    expect(await talk(mock)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await talk(mock, { servername: 'any.peer.test' })).toMatch(/^HTTP\/1\.1 200 /);
    expect(await talk(mock, { servername: '' })).toMatch(/^HTTP\/1\.1 200 /);
    expect(viewsOf(mock, 'tls', 'connection')).toMatchObject([
      { connection: 1, tls: { serverName: 'peer.test', offered: [], alpn: null, version: 'TLSv1.3' } },
      { connection: 2, tls: { serverName: 'any.peer.test' } },
      { connection: 3, tls: { serverName: null, clientCertificate: null } },
    ]);
  });

  test('an authority below that of the suite is shown with the certificate it signed', async () => {
    const mock = await start({ kind: 'http', tls: { intermediate: true } });
    expect(await talk(mock)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await talk(mock, { ca: suiteCertificates().otherCa })).toMatch(/^(?:SELF_SIGNED|UNABLE)/);
  });

  test('so is the one behind a certificate of a client', async () => {
    const mock = await start({ kind: 'http', tls: { clientCertificate: 'require' } });
    const { certificate, key } = suiteCertificates().chainedClient;
    expect(await talk(mock, { cert: certificate, key })).toMatch(/^HTTP\/1\.1 200 /);
    expect(viewsOf(mock, 'tls')).toMatchObject([{ tls: { clientCertificate: 'conform chained client' } }]);
  });

  test.each([
    ['wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['expired', 'CERT_HAS_EXPIRED'],
    ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['untrusted-ca', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('%s is what is wrong, and nothing else', async (fault, code) => {
    const mock = await start({ kind: 'http', tls: { fault } });
    expect(await talk(mock)).toBe(code);
    expect(mock.ledger.entries).toEqual([]);
    expect(mock.ledger.attempted).toBe(1);
    expect(await talk(mock, { rejectUnauthorized: false })).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a peer of the other CA is trusted by whoever trusts that one', async () => {
    const mock = await start({ kind: 'http', tls: { fault: 'untrusted-ca' } });
    expect(await talk(mock, { ca: suiteCertificates().otherCa })).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('the names of the script replace the usual ones', async () => {
    const names = ['one.example', 'spiffe://suite/peer', '2001:db8::7'];
    const mock = await start({ kind: 'http', tls: { names } });
    expect(await talk(mock)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await talk(mock, { servername: 'one.example' })).toMatch(/^HTTP\/1\.1 200 /);
    const { subjectAltName } = new X509Certificate(serverIdentity({ names }).certificate);
    expect(subjectAltName).toBe('DNS:one.example, URI:spiffe://suite/peer, IP Address:2001:DB8:0:0:0:0:0:7');
  });

  test('ALPN: what was offered, what was taken, and an alert where nothing fits', async () => {
    const mock = await start({ kind: 'http', tls: true });
    expect(await talk(mock, { ALPNProtocols: ['h2', 'http/1.1'] })).toMatch(/^HTTP\/1\.1 200 /);
    expect(await talk(mock, { ALPNProtocols: ['h2'] })).not.toMatch(/^HTTP/);
    expect(viewsOf(mock, 'tls')).toMatchObject([{ tls: { offered: ['h2', 'http/1.1'], alpn: 'http/1.1' } }]);
  });

  test('a certificate of the client is recorded when asked for, and can be required', async () => {
    const { client, otherClient } = suiteCertificates();
    const shown = { cert: client.certificate, key: client.key };
    const asking = await start({ kind: 'http', tls: { clientCertificate: 'request' } });
    expect(await talk(asking, shown)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await talk(asking)).toMatch(/^HTTP\/1\.1 200 /);
    expect(viewsOf(asking, 'tls')).toMatchObject([
      { tls: { clientCertificate: 'conform client' } },
      { tls: { clientCertificate: null } },
    ]);
    const strict = await start({ kind: 'http', tls: { clientCertificate: 'require' } });
    expect(await talk(strict, shown)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await talk(strict)).not.toMatch(/^HTTP/);
    expect(await talk(strict, { cert: otherClient.certificate, key: otherClient.key })).not.toMatch(/^HTTP/);
    expect(strict.ledger.entries).toHaveLength(1);
  });

  test('key exchange groups narrow what the server takes', async () => {
    const mock = await start({ kind: 'http', tls: { groups: ['P-384'] } });
    expect(await talk(mock, { ecdhCurve: 'X25519' })).not.toMatch(/^HTTP/);
    expect(await talk(mock, { ecdhCurve: 'P-384' })).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('a reset is a reset under TLS too', async () => {
    expect(await talk(await start({ kind: 'http', tls: true, reply: { fault: 'reset' } }))).toBe('ECONNRESET');
    expect(await talk(await start({ kind: 'http', tls: true, fault: 'reset' }))).toBe('ECONNRESET');
  });

  test('bytes that are no TLS are a connection without a request', async () => {
    const mock = await start({ kind: 'http', tls: true });
    const plain = await fetch(`http://${mock.host}:${mock.port}/`).catch((error: unknown) => error);
    expect(plain).toBeInstanceOf(TypeError);
    expect(mock.ledger.entries).toEqual([]);
    expect(mock.ledger.attempted).toBe(1);
  });
});

test('a name that leads to the peers stands in their certificates, unless a script names others', () => {
  callPeers('peers.example');
  expect(namesOf(true, '192.0.2.1')).toContain('DNS:peers.example');
  expect(namesOf({ names: ['other.test'] })).not.toContain('peers.example');
});
