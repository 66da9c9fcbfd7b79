import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificateSecret, hasOpenssl, makeCertificate, type Pem } from '../support/certificates.ts';
import {
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type DataPlane,
  type Upstream,
} from '../support/data-plane.ts';

describe.skipIf(!hasOpenssl)('TLS of clients', () => {
  let one: Pem;
  let two: Pem;
  let upstream: Upstream;

  beforeAll(async () => {
    one = makeCertificate('one', { names: ['DNS:a.test', 'DNS:*.w.test'] });
    two = makeCertificate('two', { names: ['DNS:b.test'] });
    upstream = await startUpstream();
  });

  afterAll(async () => {
    await upstream[Symbol.asyncDispose]();
  });

  const start = (more: { tls?: object; validation?: object; objects?: readonly object[] } = {}): Promise<DataPlane> =>
    startDataPlane((port) => setup(port, more));

  const setup = (
    port: number,
    { tls, validation, objects = [] }: { tls?: object; validation?: object; objects?: readonly object[] } = {},
  ): object[] => [
    ...simpleSetup(port, upstream.port, {
      gateway: {
        listeners: [
          listener('a', port, 'a.test', 'one'),
          listener('w', port, '*.w.test', 'one'),
          listener('b', port, 'b.test', 'two'),
        ],
        ...(validation && { tls: { frontend: { default: { validation } } } }),
      },
    }),
    policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
    certificateSecret('one', one),
    certificateSecret('two', two),
    ...(tls === undefined ? [] : [policy('Gateway', { frontend: { tls } })]),
    ...objects,
  ];

  it('shows the certificate of the listener that the client names, and none to others', async () => {
    await using plane = await start();
    expect(await ask(plane, 'a.test')).toMatchObject({ cn: 'one', answer: like(/^HTTP\/1.1 200/) });
    expect(await ask(plane, 'x.y.W.test')).toMatchObject({
      cn: 'one',
      answer: like(/^HTTP\/1.1 200/),
    });
    expect(await ask(plane, 'b.test')).toMatchObject({ cn: 'two', answer: like(/^HTTP\/1.1 200/) });
    expect(await ask(plane, 'c.test')).toMatchObject({ failure: like(/alert handshake failure/) });
    expect(await ask(plane, '')).toMatchObject({ failure: like(/alert handshake failure/) });
  });

  it('answers 421 to a request for a host of another listener, and tells policies of https', async () => {
    await using plane = await start();
    expect(await ask(plane, 'a.test', {}, 'b.test')).toMatchObject({ answer: like(/^HTTP\/1.1 421/) });
    expect(await ask(plane, 'm.w.test', {}, 'n.w.test')).toMatchObject({
      answer: like(/^HTTP\/1.1 200/),
    });
  });

  it('tells expressions which server the client named', async () => {
    const value = "default(destination.hostname, 'none') + ' ' + destination.address";
    const objects = [
      policy('HTTPRoute', { traffic: { transformation: { response: { set: [{ name: 'x-at', value }] } } } }),
    ];
    await using plane = await start({ objects });
    expect(await ask(plane, 'x.W.test')).toMatchObject({ answer: like(/^x-at: x\.w\.test 127\.0\.0\.1\r$/im) });
  });

  it('shows another certificate as soon as the Secret has it, and keeps the connections that stand', async () => {
    await using plane = await start();
    const session = connectHttp2(`https://127.0.0.1:${plane.port}`, {
      servername: 'a.test',
      rejectUnauthorized: false,
    });
    await once(session, 'connect');
    const changed = makeCertificate('changed', { names: ['DNS:a.test'] });
    await plane.configure(
      setup(plane.port).map((each) => (isSecret(each, 'one') ? certificateSecret('one', changed) : each)),
    );
    expect(await ask(plane, 'a.test')).toMatchObject({ cn: 'changed' });
    const stream = session.request({ ':path': '/', ':authority': 'a.test' });
    const headers: unknown[] = await once(stream, 'response');
    expect(headers[0]).toMatchObject({ ':status': 200 });
    session.destroy();
  });

  it('negotiates the versions, suites, groups and protocols that are configured', async () => {
    await using usual = await start();
    expect(await ask(usual, 'a.test', { ALPNProtocols: ['h2', 'http/1.1'] })).toMatchObject({ alpn: 'h2' });
    expect(await ask(usual, 'a.test', { ALPNProtocols: ['http/1.1'] })).toMatchObject({ alpn: 'http/1.1' });
    expect(await ask(usual, 'a.test', { ecdhCurve: 'X25519MLKEM768' })).toMatchObject({ group: 'X25519MLKEM768' });
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
    expect(await ask(usual, 'a.test', old)).toMatchObject({ failure: like(/alert protocol version/) });

    await using strict = await start({
      tls: {
        minProtocolVersion: '1.3',
        alpnProtocols: ['http/1.1'],
        keyExchangeGroups: ['P-384'],
        cipherSuites: ['TLS13_CHACHA20_POLY1305_SHA256'],
      },
    });
    expect(await ask(strict, 'a.test')).toMatchObject({
      version: 'TLSv1.3',
      cipher: 'TLS_CHACHA20_POLY1305_SHA256',
      group: like(/P-384|secp384r1/),
    });
    expect(await ask(strict, 'a.test', { maxVersion: 'TLSv1.2' })).toMatchObject({
      failure: like(/alert protocol version/),
    });
    expect(await ask(strict, 'a.test', { ecdhCurve: 'X25519' })).toMatchObject({
      failure: like(/alert handshake failure/),
    });
    expect(await ask(strict, 'a.test', { ALPNProtocols: ['h2'] })).toMatchObject({
      failure: like(/no application protocol/),
    });
  });

  it('asks for certificates where the Gateway says so, and lets expressions name what they prove', async () => {
    const ca = makeCertificate('authority');
    const uri = 'URI:spiffe://trust.test/ns/apps/sa/shop';
    const client = makeCertificate('client', { names: [uri, 'DNS:c.test'], authority: ca });
    const stranger = makeCertificate('stranger', { names: [uri] });
    const objects = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ca' }, data: { 'ca.crt': ca.certificate } },
      policy('HTTPRoute', {
        traffic: {
          authorization: allowing(
            "source.identity.serviceAccount == 'shop' && source.identity.trustDomain == 'trust.test' && source.identity.namespace == 'apps' && source.subjectCn == 'client' && source.subject == 'CN=client' && source.issuer == 'CN=authority' && 'c.test' in source.subjectAltNames && source.spiffeId == 'spiffe://trust.test/ns/apps/sa/shop'",
          ),
        },
      }),
    ];
    const validation = { caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'ca' }] };
    await using plane = await start({ validation, objects });
    expect(await ask(plane, 'a.test', shown(client))).toMatchObject({
      answer: like(/^HTTP\/1.1 200/),
    });
    expect(await ask(plane, 'a.test', { ...shown(client), maxVersion: 'TLSv1.2' })).toMatchObject({
      answer: like(/^HTTP\/1.1 200/),
    });
    expect((await ask(plane, 'a.test')).answer).toBe('');
    expect((await ask(plane, 'a.test', shown(stranger))).answer).toBe('');

    await using lax = await start({ validation: { ...validation, mode: 'AllowInsecureFallback' }, objects });
    expect(await ask(lax, 'a.test', shown(client))).toMatchObject({ answer: like(/^HTTP\/1.1 200/) });
    expect(await ask(lax, 'a.test', shown(stranger))).toMatchObject({
      answer: like(/^HTTP\/1.1 403/),
    });
    expect(await ask(lax, 'a.test')).toMatchObject({ answer: like(/^HTTP\/1.1 403/) });
  });

  it('tells what is no ClientHello so by an alert, and logs it once', async () => {
    await using plane = await start();
    const [told] = await bytes(plane, '1603010005ff00000100');
    // alert, fatal
    expect(told).toMatch(/^15030[0-9]000202/);
    expect(plane.logged).toMatchObject([
      { message: 'TLS handshake failed', fields: { reason: like(/unexpected message/) } },
    ]);
  });

  it('closes a connection whose handshake is not over in time, however its bytes come', async () => {
    await using plane = await start({ tls: { handshakeTimeout: '100ms' } });
    const [told, elapsed] = await bytes(plane, '1603010200010001fc0303');
    expect(told).toBe('');
    expect(elapsed).toBeGreaterThan(90);
    expect(plane.logged).toMatchObject([
      { message: 'TLS handshake failed', fields: { reason: 'not finished in 100ms' } },
    ]);
    expect(await ask(plane, 'a.test')).toMatchObject({ answer: like(/^HTTP\/1.1 200/) });
  });
});

function allowing(expression: string): object {
  return { action: 'Allow', policy: { matchExpressions: [expression] } };
}

function shown({ certificate, key }: Pem): ConnectionOptions {
  return { cert: certificate, key };
}

function like(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

function listener(name: string, port: number, hostname: string, secret: string): object {
  return { name, port, hostname, protocol: 'HTTPS', tls: { certificateRefs: [{ name: secret }] } };
}

function isSecret(object: object, name: string): boolean {
  return JSON.stringify(object).startsWith(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"${name}"}`);
}

interface Seen {
  readonly failure?: string;
  readonly cn?: string;
  readonly version?: string | null;
  readonly cipher?: string | undefined;
  readonly group?: unknown;
  readonly alpn?: string | false | null;
  readonly answer?: string;
}

/** One GET over TLS, as HTTP/1.1 whatever was negotiated. Members that matched a pattern are given as that. */
async function ask(
  plane: DataPlane,
  servername: string,
  options: ConnectionOptions = {},
  host = servername,
): Promise<Seen> {
  const seen: { -readonly [Key in keyof Seen]: Seen[Key] } = { answer: '' };
  const socket = connect({ port: plane.port, host: '127.0.0.1', servername, rejectUnauthorized: false, ...options });
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    seen.answer += chunk;
  });
  socket.on('secureConnect', () => {
    Object.assign(seen, handshakeOf(socket));
    if (socket.alpnProtocol === 'h2') socket.destroy();
    else socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
  socket.on('error', (error: Error) => {
    seen.failure = error.message;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return seen;
}

function handshakeOf(socket: TLSSocket): Seen {
  const key = socket.getEphemeralKeyInfo();
  return {
    cn: String(socket.getPeerCertificate().subject?.CN),
    version: socket.getProtocol(),
    cipher: socket.getCipher().standardName,
    group: key !== null && 'name' in key ? key.name : undefined,
    alpn: socket.alpnProtocol,
  };
}

/** Sends bytes, in hexadecimal, and gives what comes back until the connection ends, and how many milliseconds that took. */
function bytes(plane: DataPlane, hex: string): Promise<readonly [string, number]> {
  return new Promise((resolve) => {
    const began = performance.now();
    let text = '';
    const socket = connectTcp(plane.port, '127.0.0.1', () => socket.write(hex, 'hex'));
    socket.setEncoding('hex').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      resolve([text, performance.now() - began]);
    });
  });
}
