import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { invariant } from '../../../../base/invariant.ts';
import type { Request } from '../../../../exchange/exchange.ts';
import { decisionOf } from '../../../../policies/traffic/ext-auth/check-response.ts';
import type { Allowed, Denied } from '../../../../policies/traffic/ext-auth/decision.ts';
import { CheckResponseSchema, type OkHttpResponseSchema } from '../../../../upstream/wire/ext_authz_pb.js';
import type { CheckResponse } from '../../../../upstream/wire/ext_authz_pb.js';
import { exchangeOf, type Given } from '../../support/exchange.ts';

type Reply = Exclude<MessageInitShape<typeof CheckResponseSchema>, CheckResponse>;
type OkValue = MessageInitShape<typeof OkHttpResponseSchema>;

function allowance(reply: Reply): Allowed {
  const decision = decisionOf(create(CheckResponseSchema, reply));
  invariant(decision.allowed, 'the reply allows');
  return decision;
}

function denial(reply: Reply): Denied {
  const decision = decisionOf(create(CheckResponseSchema, { ...reply, status: { code: 7 } }));
  invariant(!decision.allowed, 'the reply denies');
  return decision;
}

function edited(value: OkValue, given: Given = {}): Request {
  return allowance({ httpResponse: { case: 'okResponse', value } }).edit(exchangeOf(given).request);
}

describe('an allowing reply', () => {
  test.each([
    ['action 0 overwrites', {}, 'client', 'server'],
    ['action 0 adds', {}, undefined, 'server'],
    ['action 0 with append adds a second', { append: true }, 'client', ['client', 'server']],
    ['action 1 leaves what is there', { appendAction: 1 }, 'client', 'client'],
    ['action 1 adds', { appendAction: 1 }, undefined, 'server'],
    ['action 2 overwrites', { appendAction: 2 }, 'client', 'server'],
    ['action 3 overwrites what is there', { appendAction: 3 }, 'client', 'server'],
    ['action 3 adds nothing', { appendAction: 3 }, undefined, undefined],
  ])('%s', (_, option, before, after) => {
    const request = edited(
      { headers: [{ header: { key: 'x-a', value: 'server' }, ...option }] },
      { headers: before === undefined ? {} : { 'X-A': before } },
    );
    expect(request.headers.view()['x-a']).toEqual(after);
  });

  test('bytes win over text, and a field without a value changes nothing', () => {
    const { headers } = edited(
      {
        headers: [
          { header: { key: 'x-a', value: 'text', rawValue: Buffer.from('bytes') } },
          { header: { key: 'x-b', value: '' } },
          { header: { key: 'x-c', value: 'a\r\nx-smuggled: 1' } },
          { header: { key: 'x d', value: 'no name' } },
          {},
        ],
      },
      { headers: { 'x-b': 'client', 'x-c': 'client' } },
    );
    expect(headers.view()).toEqual({ 'x-a': 'bytes', 'x-b': 'client', 'x-c': 'client' });
  });

  test('removals go first and spare host and pseudo-headers', () => {
    const request = edited(
      { headersToRemove: ['X-A', 'host', ':path'], headers: [{ header: { key: 'x-a', value: 'new' } }] },
      { headers: { 'x-a': 'old' } },
    );
    expect(request.headers.getAll('x-a')).toEqual(['new']);
    expect(request).toMatchObject({ authority: 'h.test:3000', target: '/api/things?q=1' });
  });

  test('framing is not the server’s', () => {
    const { headers } = edited({
      headers: [
        { header: { key: 'content-length', value: '0' } },
        { header: { key: 'transfer-encoding', value: 'chunked' } },
      ],
    });
    expect(headers.size).toBe(0);
  });

  test('query parameters, headers for the client, metadata', () => {
    const decision = allowance({
      httpResponse: {
        case: 'okResponse',
        value: {
          queryParametersToSet: [{ key: 'user', value: 'a b' }],
          queryParametersToRemove: ['q'],
          responseHeadersToAdd: [{ header: { key: 'x-r', value: '1' } }],
        },
      },
      dynamicMetadata: { user: 'alice' },
    });
    expect(decision.edit(exchangeOf().request).target).toBe('/api/things?user=a%20b');
    expect(decision.replyHeaders).toEqual([['x-r', '1']]);
    expect(decision.metadata).toEqual({ user: 'alice' });
  });

  test('status 0 allows also with a denied part, and without any part', () => {
    const { request } = exchangeOf();
    expect(allowance({ httpResponse: { case: 'deniedResponse', value: { body: 'no' } } }).edit(request)).toBe(request);
    expect(allowance({ status: { code: 0 } }).edit(request)).toBe(request);
  });
});

describe('a denying reply', () => {
  test.each([
    [401, 401],
    [200, 200],
    [599, 599],
    [0, 403],
    [101, 403],
    [600, 403],
    [-1, 403],
  ])('status %d becomes %d', (code, status) => {
    const { answer } = denial({ httpResponse: { case: 'deniedResponse', value: { status: { code }, body: 'no' } } });
    expect(answer).toMatchObject({ status, body: Buffer.from('no') });
  });

  test('headers travel, framing does not', () => {
    const headers = [
      { header: { key: 'WWW-Authenticate', value: 'Custom ✓' } },
      { header: { key: 'content-length', value: '7' } },
      { header: { key: 'transfer-encoding', value: 'chunked' } },
      { header: { key: ':status', value: '200' } },
    ];
    const { answer } = denial({ httpResponse: { case: 'deniedResponse', value: { headers } } });
    expect(answer?.headers.view()).toEqual({ 'www-authenticate': Buffer.from('Custom ✓').toString('latin1') });
  });

  test('without a part for the client the proxy speaks', () => {
    expect(denial({}).answer).toBeUndefined();
    expect(denial({ httpResponse: { case: 'okResponse', value: {} } }).answer).toBeUndefined();
  });
});

test('whatever a server sends, the request stays one that can be sent', () => {
  const header = fc.record({
    header: fc.record({ key: fc.string(), value: fc.string(), rawValue: fc.uint8Array({ maxLength: 8 }) }),
    append: fc.boolean(),
    appendAction: fc.integer({ min: 0, max: 9 }),
  });
  const parameter = fc.record({ key: fc.string({ unit: 'binary' }), value: fc.string({ unit: 'binary' }) });
  const reply = fc.record({
    headers: fc.array(header, { maxLength: 4 }),
    headersToRemove: fc.array(fc.string(), { maxLength: 4 }),
    queryParametersToSet: fc.array(parameter, { maxLength: 4 }),
    queryParametersToRemove: fc.array(fc.string(), { maxLength: 4 }),
  });
  const { request } = exchangeOf();
  fc.assert(
    fc.property(reply, (value) => {
      const message = create(CheckResponseSchema, { httpResponse: { case: 'okResponse', value } });
      const decision = decisionOf(fromBinary(CheckResponseSchema, toBinary(CheckResponseSchema, message)));
      invariant(decision.allowed, 'status 0 allows');
      const { headers, target, authority } = decision.edit(request);
      for (const [name, text] of headers) {
        expect(name).toMatch(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
        expect(text).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/);
      }
      expect(target).toMatch(/^\/[!-~]*$/);
      expect(authority).toMatch(/^\S+$/);
    }),
    { numRuns: 300 },
  );
});
