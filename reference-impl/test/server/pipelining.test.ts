import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { duplexPair } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createBacklog } from '../../server/backlog.ts';
import { parseOneByOne } from '../../server/pipelining.ts';
import { raw, simpleSetup, startDataPlane, startTcp, startUpstream } from '../support/data-plane.ts';

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

it('a body of many small chunks arrives whole, and others are served in between', async () => {
  await using upstream = await startUpstream((request, response) => response.end(`<${request.url}>`));
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const letters = Array.from({ length: 60_000 }, (_, index) => String.fromCodePoint(97 + (index % 26)));
  const chunks = letters.map((letter) => `1\r\n${letter}\r\n`).join('');
  const upload = raw(
    plane.port,
    `POST /long HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\nGET /behind HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  const beside = await raw(plane.port, 'GET /beside HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(beside).toMatch(/<\/beside>$/);
  expect((await upload).match(/<\/\w+>/g)).toEqual(['</long>', '</behind>']);
  expect(upstream.received.find(({ url }) => url === '/long')?.body).toBe(letters.join(''));
});

it('of a body that the upstream does not take no more is read than fits', async () => {
  const blocked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  let end = '';
  await using upstream = await startTcp((socket) => {
    socket.once('data', () => {
      socket.pause();
      socket.on('data', (more: Buffer) => {
        end = (end + more.toString('latin1', Math.max(0, more.length - 5))).slice(-5);
        if (end === '0\r\n\r\n') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone');
      });
      void goOn.promise.then(() => socket.resume());
    });
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const client = connect(plane.port, '127.0.0.1');
  client.setEncoding('latin1').write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  const piece = 'a\r\n0123456789\r\n'.repeat(30_000);
  let sent = 0;
  const more = (): void => {
    while (sent < 40) {
      sent += 1;
      if (!client.write(piece)) {
        client.once('drain', more);
        return;
      }
    }
    client.write('0\r\n\r\n');
  };
  more();
  // Nothing is taken for a while: whoever read without end would have all of it.
  afterTurns(2000, () => {
    blocked.resolve();
  });
  await blocked.promise;
  expect(sent).toBeLessThan(40);
  goOn.resolve();
  let answer = '';
  for await (const text of client) {
    answer += String(text);
    if (answer.endsWith('done')) break;
  }
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
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
  const inlet = parseOneByOne(socket, createBacklog());
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

it('who sends a message once the answer before it is out waits for nobody', async () => {
  // A message of several pieces may wait on a machine that takes long for one of them.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const server = createServer();
  const [client, socket] = duplexPair();
  server.on('request', (message, response) => {
    inlet.begin(message);
    response.on('close', inlet.answered);
    message.resume().on('end', () => response.end(message.url));
  });
  server.emit('connection', socket);
  const inlet = parseOneByOne(socket, { add: waits, mayGoOn: waits });
  client.setEncoding('latin1');
  for (const message of MESSAGE_LIST) {
    client.write(message, 'latin1');
    const path = /\/\d/.exec(message)?.[0] ?? '';
    for (let answer = ''; !answer.includes(path);) answer += String((await once(client, 'data'))[0]);
    await new Promise((resolve) => setImmediate(resolve));
  }
});

const SECOND = 'GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const LENGTH = SECOND.length;

it.each([
  ['another field that names a length', [`GET /1 HTTP/1.1\r\nHost: a\r\nX-Content-Length: ${LENGTH}\r\n\r\n${SECOND}`]],
  ['a length in a value', [`GET /1 HTTP/1.1\r\nHost: a\r\nX-Note: content-length: ${LENGTH}\r\n\r\n${SECOND}`]],
  ['a body without bytes', [`POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 00\r\n\r\n${SECOND}`]],
  ['a body that begins later', ['POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n', `abc${SECOND}`]],
])('%s does not make one message of two', async (_, writes) => {
  let underWay = 0;
  let most = 0;
  const served: (string | undefined)[] = [];
  const server = createServer();
  const [client, socket] = duplexPair();
  server.on('request', (message, response) => {
    inlet.begin(message);
    response.on('close', inlet.answered);
    served.push(message.url);
    underWay += 1;
    most = Math.max(most, underWay);
    message.resume().on('end', () =>
      setImmediate(() => {
        underWay -= 1;
        response.end();
      }),
    );
  });
  server.emit('connection', socket);
  const inlet = parseOneByOne(socket, createBacklog());
  for (const text of writes) client.write(text, 'latin1');
  client.resume();
  await once(client, 'end');
  expect(served).toEqual(['/1', '/2']);
  expect(most).toBe(1);
});

function waits(): never {
  return expect.fail('it was to wait');
}

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
