import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { Server } from 'node:net';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { outsideCommand, type Outside } from '../../steps/curl.ts';
import { httpCall, type HttpInput } from '../../steps/http-input.ts';
import { missingPrograms } from '../../sut/requirements.ts';

const context = (port: number): Parameters<typeof outsideCommand>[2] => ({
  host: 'c-1.test',
  data: { host: '127.0.0.1', port },
});

function outside(input: HttpInput, port = 1): Outside {
  return outsideCommand(httpCall(input), input, context(port));
}

test.each<readonly [string, HttpInput, RegExp]>([
  ['CONNECT', { method: 'CONNECT', path: 'a:1' }, /CONNECT/],
  ['trailers', { POST: '/', trailers: { a: 'b' }, body: 'x' }, /no trailers/],
  ['chunks of its own', { POST: '/', chunks: ['a', 'b'] }, /chunks/],
  ['a long body', { POST: '/', body: 'x'.repeat(70_000) }, /too long/],
  ['a handshake', { GET: '/', tls: { serverName: 'a.test' } }, /handshake/],
  ['a connection that others use', { GET: '/', connection: 'one' }, /shares a connection/],
])('%s cannot be sent by curl, and it says so', (_, input, why) => {
  expect(JSON.stringify(outside(input))).toMatch(why);
  expect(outside(input)).toHaveProperty('cannot');
});

// Without curl there is nothing to compare with.
test.runIf(missingPrograms(['curl', 'sh', 'base64']).length === 0).each<readonly [string, HttpInput]>([
  ['a plain request', { GET: '/a?b=c%20d' }],
  [
    'headers, twice, empty and with a quote',
    {
      GET: '/',
      headers: [
        ['X-A', '1'],
        ['x-a', "it's"],
        ['X-Empty', ''],
      ],
    },
  ],
  ['a path no shell or URL would leave alone', { method: 'GET', path: "/../a/{x}/[y]'#z" }],
  ['a target that is no path', { OPTIONS: '*' }],
  ['json', { POST: '/', json: { a: "it's", at: '@file' } }],
  ['a text that looks like a file name', { PUT: '/', body: '@/etc/hostname' }],
  ['bytes', { POST: '/', body: { base64: '/wAB' } }],
  ['no body where one is usual', { POST: '/' }],
  ['a chunked body', { POST: '/', body: 'abc', framing: 'chunked' }],
])('%s arrives as the suite sends it', async (_, input) => {
  const seen: { readonly head: readonly string[]; readonly body: string }[] = [];
  const server = createServer((request, answer) => {
    void keep(request, answer);
  });
  async function keep(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    seen.push({ head: [`${request.method ?? ''} ${request.url ?? ''}`, ...request.rawHeaders], body });
    answer.end('ok');
  }
  await askFromOutside(server, input);
  const call = httpCall(input);
  const sent = Buffer.concat([...(call.parts ?? [])]);
  const framing =
    call.framing === 'chunked' ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(sent.length)];
  const framed = call.parts === undefined && call.method !== 'POST' ? [] : framing;
  const [{ head, body } = { head: [], body: '' }] = seen;
  expect(pairsOf(head.slice(1))).toEqual(pairsOf(['Host', 'c-1.test', ...call.headers.flat(), ...framed]));
  expect(head[0]).toBe(`${call.method} ${call.path}`);
  expect(body).toBe(sent.toString('base64'));
});

test.runIf(missingPrograms(['curl', 'sh']).length === 0).each<readonly [string, HttpInput]>([
  ['no body', { GET: '/a?b=c', version: '2', headers: { 'x-a': '1' } }],
  ['a body', { POST: '/', body: 'abc', version: '2' }],
  ['a body without a length', { POST: '/', body: 'abc', framing: 'chunked', version: '2' }],
])('%s arrives over HTTP/2 as the suite sends it', async (_, input) => {
  const seen: { readonly head: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = createHttp2Server((request, answer) => {
    void keep(request, answer);
  });
  async function keep(request: Http2ServerRequest, answer: Http2ServerResponse): Promise<void> {
    seen.push({ head: request.headers, body: await bodyOf(request) });
    answer.end('ok');
  }
  await askFromOutside(server, input);
  const { method, path, headers, parts = [] } = httpCall(input);
  const [{ head, body } = { head: {}, body: '' }] = seen;
  expect(head).toMatchObject({ ':method': method, ':path': path, ':authority': 'c-1.test' });
  expect(head).toMatchObject(Object.fromEntries(headers));
  expect(Object.keys(head)).not.toContain('transfer-encoding');
  expect(body).toBe(Buffer.concat([...parts]).toString('base64'));
});

/** Types the line that a report has for the request into a shell. */
async function askFromOutside(server: Server, input: HttpInput): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const written = outside(input, typeof address === 'object' && address !== null ? address.port : 0);
  try {
    await promisify(execFile)('sh', ['-c', 'command' in written ? written.command : 'exit 1']);
  } finally {
    server.close();
  }
}

/** Header pairs in an order that does not depend on where a client puts the framing. */
function pairsOf(flat: readonly string[]): readonly string[] {
  return flat.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${flat[index + 1] ?? ''}`] : [])).toSorted();
}

async function bodyOf(request: IncomingMessage | Http2ServerRequest): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('base64');
}
