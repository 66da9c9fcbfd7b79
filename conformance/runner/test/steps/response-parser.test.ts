import { expect, test } from 'vitest';
import { parseResponses } from '../../steps/response-parser.ts';

const parse = (text: string, options: { method?: string; ended?: boolean } = {}): ReturnType<typeof parseResponses> =>
  parseResponses(Buffer.from(text, 'latin1'), { ended: false, ...options });

test.each([
  [
    'a length',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi',
    { status: 200, reason: 'OK', body: 'hi', complete: true },
    1,
  ],
  ['a length not yet reached', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi', { body: 'hi', complete: false }, 0],
  [
    'chunks',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n1;x=y\r\n!\r\n0\r\n\r\n',
    { body: 'hi!', complete: true },
    1,
  ],
  [
    'chunks with trailers',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n',
    { body: '', complete: true },
    1,
  ],
  [
    'chunks without their end',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhi',
    { body: '', complete: false },
    0,
  ],
  ['no body by status', 'HTTP/1.1 204 No Content\r\n\r\n', { body: '', complete: true }, 1],
])('a response framed by %s', (_, text, response, complete) => {
  const parsed = parse(text);
  expect(parsed.responses[0]).toMatchObject(response);
  expect(parsed.complete).toBe(complete);
});

test('a response without framing ends with the connection', () => {
  expect(parse('HTTP/1.1 200 OK\r\n\r\nhi').complete).toBe(0);
  expect(parse('HTTP/1.1 200 OK\r\n\r\nhi', { ended: true }).complete).toBe(1);
});

test('an answer to HEAD has no body, whatever its length says', () => {
  expect(parse('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', { method: 'HEAD' }).complete).toBe(1);
});

test('responses come one after another and 1xx does not count as final', () => {
  const parsed = parse(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n',
  );
  expect(parsed.responses.map(({ status }) => status)).toEqual([100, 200, 404]);
  expect(parsed.complete).toBe(2);
});

test('bytes that are no response are malformed, at once or when the connection has ended', () => {
  expect(parse('nonsense').malformed).toMatch(/not a response: nonsense/);
  expect(parse('HTTP/1').malformed).toBeUndefined();
  expect(parse('HTTP/1', { ended: true }).malformed).toBeDefined();
  expect(parse('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n').malformed).toBe('a chunk without size');
});

test('several lines of one header become a list', () => {
  expect(parse('HTTP/1.1 204 x\r\nSet-Cookie: a\r\nset-cookie: b\r\nX: y\r\n\r\n').responses[0]?.headers).toEqual({
    'set-cookie': ['a', 'b'],
    x: 'y',
  });
});
