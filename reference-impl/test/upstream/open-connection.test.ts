import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import type { DialOptions } from '../../upstream/dial.ts';
import { openConnection, type TransportName } from '../../upstream/open-connection.ts';
import type { TlsSettings } from '../../upstream/tls.ts';
import { hasOpenssl, makeCertificate } from '../support/certificates.ts';
import { startTcp } from '../support/data-plane.ts';

const DIRECT: DialOptions = { connectTimeout: 2000, keepalive: undefined };
const TRUSTING: TlsSettings = {
  policy: { insecureSkipVerify: 'All' },
  ca: undefined,
  client: undefined,
  unusable: undefined,
  fingerprint: '',
};

/** What was heard of one connection; nothing where there was none. */
function opened(port: number, options: DialOptions): Promise<readonly TransportName[]> {
  const heard: TransportName[] = [];
  const connected = (transport: TransportName, milliseconds: number): void => {
    expect(milliseconds).toBeGreaterThan(0);
    heard.push(transport);
  };
  return new Promise((resolve) => {
    openConnection(
      { kind: 'tcp', host: '127.0.0.1', port },
      options,
      { clock: systemClock, connected },
      (_, socket) => {
        onTestFinished(() => void socket?.destroy());
        resolve(heard);
      },
    );
  });
}

/** A proxy server that grants everything and then does what `then` says. */
async function startProxyServer(
  then: (socket: Parameters<Parameters<typeof startTcp>[0]>[0]) => void,
): Promise<number> {
  const proxy = await startTcp((socket) => {
    socket.once('data', () => {
      then(socket);
      socket.write('HTTP/1.1 200 Fine\r\n\r\n');
    });
  });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy.port;
}

function throughProxy(port: number): DialOptions {
  return {
    ...DIRECT,
    tunnel: { endpoints: [{ kind: 'tcp', host: '127.0.0.1', port }], dial: DIRECT, unusable: undefined },
  };
}

test('a connection without more is heard of when it is ready, one that fails is not', async () => {
  const server = await startTcp(() => {});
  expect(await opened(server.port, DIRECT)).toEqual(['plaintext']);
  await server[Symbol.asyncDispose]();
  expect(await opened(server.port, DIRECT)).toEqual([]);
});

test('one through a proxy server is a tunnel; a refusal is none', async () => {
  const port = await startProxyServer(() => {});
  expect(await opened(1, throughProxy(port))).toEqual(['tunnel']);
  const refusing = await startTcp((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 403 No\r\n\r\n'));
  });
  onTestFinished(() => refusing[Symbol.asyncDispose]());
  expect(await opened(1, throughProxy(refusing.port))).toEqual([]);
});

test.skipIf(!hasOpenssl)('with TLS it is tls, or tunnel-tls', async () => {
  const { certificate: cert, key } = makeCertificate('server');
  const server = createServer({ cert, key });
  onTestFinished(() => void server.close());
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  expect(await opened(port, { ...DIRECT, tls: TRUSTING })).toEqual(['tls']);
  const proxy = await startProxyServer((socket) => void setImmediate(() => server.emit('connection', socket)));
  expect(await opened(1, { ...throughProxy(proxy), tls: TRUSTING })).toEqual(['tunnel-tls']);
});
