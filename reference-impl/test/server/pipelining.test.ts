import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { duplexPair } from 'node:stream';
import { expect, it } from 'vitest';
import { parseOneByOne } from '../../server/pipelining.ts';
import { raw, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

it('starts a thousand requests of one connection one after the other, and answers them in order', async () => {
  let underWay = 0;
  let most = 0;
  await using upstream = await startUpstream((request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setImmediate(() => {
      underWay -= 1;
      response.end(`<${request.url}>`);
    });
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const paths = Array.from({ length: 1000 }, (_, index) => `/${index}`);
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
  const answers = await raw(plane.port, `${requests}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(answers.match(/<\/\w+>/g)).toEqual([...paths, '/last'].map((path) => `<${path}>`));
  expect(most).toBe(1);
});

it('does not start a request with effects before the one in front of it is answered', async () => {
  const seen: string[] = [];
  await using upstream = await startUpstream((request, response) => {
    seen.push(`${request.method} begins`);
    afterTurns(50, () => {
      seen.push(`${request.method} ends`);
      response.end();
    });
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const put = 'PUT /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n\r\n\r\n\r\n\r\n';
  await raw(plane.port, `${put}DELETE /fast HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(seen).toEqual(['PUT begins', 'PUT ends', 'DELETE begins', 'DELETE ends']);
});

it('an answer under way is not replaced by a refusal of the bytes behind its request', async () => {
  await using upstream = await startUpstream((_, response) => {
    afterTurns(50, () => response.end('whole'));
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const answers = await raw(plane.port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\nno request at all\r\n\r\nnor this\r\n\r\n');
  expect(answers).toMatch(/^HTTP\/1\.1 200 .*wholeHTTP\/1\.1 400 [^]*\r\n\r\n$/s);
  expect(answers.match(/HTTP\/1\.1/g)).toHaveLength(2);
});

it('the last answer of a connection is read although the client has sent more', async () => {
  await using upstream = await startUpstream();
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const more = 'GET /more HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(20_000);
  const client = connect(plane.port, '127.0.0.1');
  client.write('GET /first HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const sent = new Promise((resolve) => client.write(more, resolve));
  let answer = '';
  for await (const chunk of client) answer += String(chunk);
  await sent;
  expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*hello$/);
  expect(upstream.received.map(({ url }) => url)).toEqual(['/first']);
});

const MESSAGE_LIST = [
  'GET /1 HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab\r\n\r\n\r\nc',
  'POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n2\r\n\r\n\r\n0\r\nX-Sum: 1\r\n\r\n',
  '\r\n\r\nGET /4 HTTP/1.1\r\nHost: a\r\n\r\n',
  'POST /5 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n',
  'GET /6 HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /7 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
];
const MESSAGES = MESSAGE_LIST.join('');

it.each<readonly [string, readonly string[]]>([
  ...[1, 2, 3, 5, 7, 11, 60, 1000].map((size) => [`${size} bytes at a time`, piecesOf(MESSAGES, size)] as const),
  ['each by itself', MESSAGE_LIST],
  [
    'each by itself, cut behind its first empty line',
    MESSAGE_LIST.flatMap((message) => message.split(/(?<=\r\n\r\n)/)),
  ],
])('takes the messages of a connection that arrive %s', async (_, pieces) => {
  const served: string[] = [];
  let underWay = 0;
  let most = 0;
  const server = createServer();
  const [client, socket] = duplexPair();
  server.on('request', (message, response) => {
    inlet.begin(message);
    response.on('close', inlet.answered);
    underWay += 1;
    most = Math.max(most, underWay);
    message.setEncoding('latin1');
    let body = '';
    message.on('data', (text: string) => {
      body += text;
    });
    message.on('end', () => {
      setImmediate(() => {
        served.push(`${message.url} ${JSON.stringify(body)}`);
        underWay -= 1;
        response.end();
      });
    });
  });
  server.emit('connection', socket);
  const inlet = parseOneByOne(socket);
  for (const piece of pieces) client.write(piece, 'latin1');
  client.resume();
  await once(client, 'end');
  expect(served).toEqual([
    '/1 ""',
    '/2 "ab\\r\\n\\r\\n\\r\\nc"',
    '/3 "\\r\\n\\r\\n\\r\\n"',
    '/4 ""',
    '/5 ""',
    '/6 ""',
    '/7 ""',
  ]);
  expect(most).toBe(1);
});

function piecesOf(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** Long enough for what would happen at once to have happened. */
function afterTurns(turns: number, task: () => void): void {
  if (turns === 0) task();
  else setImmediate(() => afterTurns(turns - 1, task));
}
