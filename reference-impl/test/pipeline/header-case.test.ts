import { expect, it } from 'vitest';
import { get, policy, raw, simpleSetup, startDataPlane, startUpstream } from '../support/data-plane.ts';

const ASKED = ['Host: a', 'X-Sent: One', 'x-SENT: Two'];

it.each([
  [undefined, ['x-sent', 'x-sent'], 'x-reply'],
  ['Lowercase', ['x-sent', 'x-sent'], 'x-reply'],
  ['Preserve', ['X-Sent', 'x-SENT'], 'X-Reply'],
])(
  'http1HeaderCase %s sends names to the backend as %j and to the client as %s',
  async (http1HeaderCase, sent, replied) => {
    await using upstream = await startUpstream((_, response) => response.setHeader('X-Reply', 'Value').end('hello'));
    const frontend = { http: { http1MaxHeaders: 100, ...(http1HeaderCase && { http1HeaderCase }) } };
    await using plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      policy('Gateway', { frontend }),
    ]);
    expect(await get(plane.port, '/', ASKED)).toContain(`\r\n${replied}: Value\r\n`);
    const names = upstream.received[0]?.rawHeaders.filter((name, at) => at % 2 === 0 && /^x-sent$/i.test(name));
    expect(names).toEqual(sent);
  },
);

it('FRONT-024: the fields that the proxy adds to an answer are in lower case, over every version of HTTP/1', async () => {
  await using upstream = await startUpstream((request, response) => {
    if (request.url === '/chunked') response.write('a');
    response.end('b');
  });
  await using plane = await startDataPlane((port) => simpleSetup(port, upstream.port));
  const answers = [
    await get(plane.port, '/chunked'),
    await get(plane.port, '/nowhere'),
    await raw(plane.port, 'GET / HTTP/1.0\r\nHost: a\r\n\r\n'),
    await raw(plane.port, 'GET /chunked HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n'),
    await raw(
      plane.port,
      `GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\nHost: a\r\n\r\n`,
    ),
  ];
  for (const answer of answers) expect(answer).not.toMatch(/\r\n[^:\r\n]*[A-Z][^:\r\n]*: /);
  expect(answers[0]).toMatch(/\r\ntransfer-encoding: chunked\r\nconnection: close\r\n/);
  expect(answers[3]).toMatch(/\r\nconnection: close\r\n\r\nab$/);
  expect(answers[4]?.match(/connection: (keep-alive|close)/g)).toEqual(['connection: keep-alive', 'connection: close']);
});
