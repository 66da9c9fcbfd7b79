import { describe, expect, test } from 'vitest';
import { transformMessage } from '../../policies/transform-message.ts';
import type { Transform } from '../../resources/proxy-policy/fields/transformation.ts';
import type { Answer, Routed } from '../../exchange/exchange.ts';
import { after, answerOf, exchangeOf, fields, textOf, type Given } from './support/exchange.ts';
import { ORIGIN, SERVICES } from '../support/inert.ts';

async function transformed(request: Transform, given: Given = {}): Promise<Routed> {
  const exchange = exchangeOf(given);
  const outcome = await transformMessage.request?.(exchange, transformMessage.compile({ request }, ORIGIN), SERVICES);
  return after(exchange, outcome ?? { kind: 'continue' });
}

async function answered(response: Transform, answer: Answer, given: Given = {}): Promise<Answer> {
  return (
    (await transformMessage.response?.(
      exchangeOf(given),
      transformMessage.compile({ response }, ORIGIN),
      answer,
      SERVICES,
    )) ?? answer
  );
}

const one = (name: string, value: string) => [{ name, value }];

describe('request headers', () => {
  test.each([
    ['set a new one', { set: one('x', 'request.method') }, {}, { x: 'GET' }],
    ['set replaces', { set: one('X', '1 + 1') }, { x: 'old' }, { X: '2' }],
    ['add keeps', { add: one('y', '"new"') }, { x: 'old' }, { x: 'old', y: 'new' }],
    ['remove', { remove: ['X'] }, { x: 'old', y: '1' }, { y: '1' }],
    [
      'add, then set, then remove',
      { add: one('x', '"a"'), set: one('x', '"b"'), remove: ['y'] },
      { y: '1' },
      { x: 'b' },
    ],
    ['a failing value takes the header away', { set: one('x', 'jwt.sub') }, { x: 'forged' }, {}],
    ['null takes the header away', { set: one('x', 'jwt') }, { x: 'forged' }, {}],
    ['a failing add takes the header away', { add: one('x', '1 / 0') }, { x: 'forged' }, {}],
    ['an expression that does not compile takes the header away', { set: one('x', '1 +') }, { x: 'forged' }, {}],
    ['a line break takes the header away', { set: one('x', '"a\\r\\nb: c"') }, { x: 'forged' }, {}],
    [
      'every expression sees the request as it came',
      { set: [...one('x', '"new"'), ...one('y', 'request.headers.x')] },
      { x: 'old' },
      { x: 'new', y: 'old' },
    ],
    [
      'framing stays with the proxy',
      { set: one('content-length', '0'), add: one('Transfer-Encoding', '"chunked"'), remove: ['Content-Length'] },
      { 'content-length': '5' },
      { 'content-length': '5' },
    ],
    ['text beyond bytes travels as UTF-8', { set: one('x', '"\\u20ac"') }, {}, { x: 'â\u0082¬' }],
    ['beyond sixteen bits too', { set: one('x', '"\\U0001F600"') }, {}, { x: 'ð\u009f\u0098\u0080' }],
  ])('%s', async (_, transform, headers, expected) => {
    expect(fields((await transformed(transform, { headers })).request.headers)).toEqual(expected);
  });

  test('the header map that a snapshot saw stays as it was', async () => {
    const exchange = exchangeOf({ headers: { x: 'old' } });
    await transformMessage.request?.(
      exchange,
      transformMessage.compile({ request: { set: one('x', '"new"') } }, ORIGIN),
      SERVICES,
    );
    expect(exchange.request.headers.get('x')).toBe('old');
  });
});

describe('pseudo-headers', () => {
  test.each([
    [':method', '"PUT"', { method: 'PUT' }],
    [':path', 'request.path + "/more?x=1"', { target: '/api/things/more?x=1' }],
    [':path', '"/a#b"', { target: '/a' }],
    [':authority', '"other.test"', { authority: 'other.test' }],
    ['host', '"other.test"', { authority: 'other.test' }],
    [':scheme', '"https"', { scheme: 'https' }],
    [':method', '"P T"', { method: 'GET' }],
    [':path', '"no slash"', { target: '/api/things?q=1' }],
    [':path', '"/a b"', { target: '/api/things?q=1' }],
    [':path', '"/a\\r\\nX: y"', { target: '/api/things?q=1' }],
    [':path', 'jwt.sub', { target: '/api/things?q=1' }],
    [':authority', '"a b"', { authority: 'h.test:3000' }],
    [':scheme', '"ftp"', { scheme: 'http' }],
    [':status', '404', { method: 'GET' }],
  ])('XFORM-002: %s set to %s', async (name, value, expected) => {
    const { request } = await transformed({ set: one(name, value) });
    expect(request).toMatchObject(expected);
    expect(fields(request.headers)).toEqual({});
  });

  test.each([
    ['404', 404],
    ['"503"', 503],
    ['99', 200],
    ['1000', 200],
    ['"no"', 200],
  ])(':status set to %s', async (value, status) => {
    expect((await answered({ set: one(':status', value) }, answerOf(200))).status).toBe(status);
  });
});

describe('body', () => {
  test.each([
    ['"text"', 'text'],
    ['{"a": request.method}', '{"a":"GET"}'],
    ['b"\\x00\\xff"', '\0\xff'],
    ['jwt.sub', ''],
    ['string(request.body) + "!"', 'old!'],
    ['toJson(json(bytes("[1]")))', '[1]'],
  ])('of the request from %s', async (body, expected) => {
    const { request } = await transformed({ body }, { body: 'old' });
    expect(await textOf(request.body)).toBe(expected);
    expect(request.body?.length).toBe(expected.length);
  });

  test('is untouched when no expression names it', async () => {
    const exchange = exchangeOf({ body: 'old' });
    const outcome = transformMessage.request?.(
      exchange,
      transformMessage.compile({ request: { set: one('x', '"1"') } }, ORIGIN),
      SERVICES,
    );
    expect(outcome).not.toBeInstanceOf(Promise);
    expect(await textOf(exchange.request.body)).toBe('old');
  });

  test('over the limit does not exist; its prefix does, and all of it goes on', async () => {
    const given = { body: '0123456789', maxBufferSize: 4 };
    const set = [...one('x-body', 'string(request.body)'), ...one('x-prefix', 'string(request.bodyPrefix)')];
    const { request } = await transformed({ set }, { ...given, headers: { 'x-body': 'forged' } });
    expect(fields(request.headers)).toEqual({ 'x-prefix': '0123' });
    expect(await textOf(request.body)).toBe('0123456789');
  });

  test('a request without body has an empty one', async () => {
    const { request } = await transformed({ set: one('x', 'size(request.body)') });
    expect(request.headers.get('x')).toBe('0');
    expect(request.body).toBeUndefined();
  });

  test('of the answer', async () => {
    const answer = await answered(
      { body: '"<" + string(response.body) + ">" + request.method' },
      answerOf(200, {}, 'old'),
    );
    expect(await textOf(answer.body)).toBe('<old>GET');
  });

  test.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('of an answer to %s with status %d stays away', async (method, status) => {
    expect((await answered({ body: '"x"' }, answerOf(status), { method })).body).toBeUndefined();
  });
});

describe('metadata', () => {
  test('runs first, joins what is known, skips what fails', async () => {
    const metadata = { a: '[1, 2]', bad: 'jwt.sub', c: 'metadata.old' };
    const { facts, request } = await transformed(
      { metadata, set: one('x', 'metadata.a[1] + metadata.old') },
      { facts: { metadata: { old: 40, a: 0 } } },
    );
    expect(facts.metadata).toEqual({ old: 40, a: [1, 2], c: 40 });
    expect(request.headers.get('x')).toBe('42');
  });

  test('of the response side is seen by the expressions after it', async () => {
    const answer = await answered(
      { metadata: { code: 'response.code' }, set: one('x', 'metadata.code + 1') },
      answerOf(200),
    );
    expect(answer.headers.get('x')).toBe('201');
  });
});

test('the answer of the other half is not touched', async () => {
  const compiled = transformMessage.compile({ request: { set: one('x', '"1"') } }, ORIGIN);
  const answer = answerOf(200);
  expect(await transformMessage.response?.(exchangeOf(), compiled, answer, SERVICES)).toBe(answer);
});
