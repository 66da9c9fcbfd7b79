import { describe, expect, test } from 'vitest';
import { HeaderMap } from '../../../../base/headers.ts';
import type { Source } from '../../../../exchange/exchange.ts';
import { requestVariables } from '../../../../exchange/request-state.ts';
import { checkRequest } from '../../../../policies/traffic/ext-auth/check-request.ts';
import { compileNamed } from '../../../../policies/traffic/ext-auth/named-programs.ts';
import type { AttributeContext } from '../../../../upstream/wire/ext_authz_pb.js';
import { exchangeOf, type Given } from '../../support/exchange.ts';

function attributesOf(
  given: Given & { readonly raw?: readonly (readonly [string, string])[] },
  { metadata, sent }: { readonly metadata?: Readonly<Record<string, string>>; readonly sent?: Uint8Array } = {},
): AttributeContext | undefined {
  const { raw, ...rest } = given;
  const made = exchangeOf(rest);
  const exchange = raw === undefined ? made : { ...made, request: { ...made.request, headers: HeaderMap.of(raw) } };
  const question = { exchange, variables: requestVariables(exchange), body: sent };
  return checkRequest(question, {}, metadata && compileNamed(metadata)).attributes;
}

describe('the question to a gRPC server', () => {
  test('describes the request', () => {
    const attributes = attributesOf({
      method: 'PUT',
      raw: [
        ['X-Many', 'one'],
        ['Cookie', 'a=1'],
        ['x-many', 'two'],
        ['cookie', 'b=2'],
        ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
      ],
    });
    expect(attributes?.request?.http).toMatchObject({
      id: '0af7651916cd43dd8448eb211c80319c',
      method: 'PUT',
      path: '/api/things?q=1',
      host: 'h.test:3000',
      scheme: 'http',
      protocol: 'HTTP/1.1',
      query: '',
      size: 0n,
      body: '',
      headers: {
        'x-many': 'one, two',
        cookie: 'a=1; b=2',
        ':method': 'PUT',
        ':path': '/api/things?q=1',
        ':authority': 'h.test:3000',
        ':scheme': 'http',
      },
    });
    expect(attributes?.source?.address?.address.value).toMatchObject({ address: '10.1.2.3' });
    expect(attributes?.metadataContext?.filterMetadata).toEqual({});
  });

  test('tells both ends of the connection, and what the handshake said', () => {
    const made = exchangeOf();
    const of = (source: Source) => {
      const exchange = { ...made, source };
      return checkRequest({ exchange, variables: requestVariables(exchange), body: undefined }, {}, undefined)
        .attributes;
    };
    const local = { address: '10.9.8.7', port: 3000 };
    const plain = of({ ...made.source, local });
    expect(plain?.destination?.address?.address.value).toMatchObject({ address: '10.9.8.7' });
    expect(plain?.source?.principal).toBe('');
    expect(plain?.tlsSession).toBeUndefined();
    const client = {
      certificate: '',
      subject: '',
      issuer: '',
      subjectAltNames: [],
      spiffeId: 'spiffe://trust.test/shop',
    };
    const secure = of({ ...made.source, local, tls: { serverName: 'a.test', client } });
    expect(secure?.tlsSession?.sni).toBe('a.test');
    expect(secure?.source?.principal).toBe('spiffe://trust.test/shop');
  });

  test('a client cannot give pseudo-headers another value', () => {
    const attributes = attributesOf({ raw: [[':path', '/harmless']] });
    expect(attributes?.request?.http?.headers[':path']).toBe('/api/things?q=1');
  });

  test('header bytes that are no UTF-8 do not break the message', () => {
    const utf8 = Buffer.from('é').toString('latin1');
    const attributes = attributesOf({
      raw: [
        ['x-a', utf8],
        ['x-b', '\xff'],
      ],
    });
    expect(attributes?.request?.http?.headers).toMatchObject({ 'x-a': 'é', 'x-b': 'ÿ' });
  });

  test('EXTAUTH-022: a body goes as text where it is text', () => {
    expect(attributesOf({}, { sent: Buffer.from('é') })?.request?.http).toMatchObject({ body: 'é', size: 2n });
    const { body, rawBody } = attributesOf({}, { sent: new Uint8Array([0xff]) })?.request?.http ?? {};
    expect({ body, rawBody }).toEqual({ body: '', rawBody: new Uint8Array([0xff]) });
  });

  test('EXTAUTH-007: what fails or is no map is left out, and what JSON does not know goes as CEL writes it', () => {
    const attributes = attributesOf(
      {},
      {
        metadata: {
          fails: "{'a': request.headers['none']}",
          scalar: 'request.path',
          list: '[1]',
          broken: '1 +',
          map: "{'n': 1, 'large': 9007199254740993, 'bytes': b'ab', 'for': duration('90s'), 'deep': {'list': [true, null]}}",
        },
      },
    );
    expect(attributes?.metadataContext?.filterMetadata).toEqual({
      map: { n: 1, large: '9007199254740993', bytes: 'YWI=', for: '90s', deep: { list: [true, null] } },
    });
  });

  test('EXTAUTH-008, EXTAUTH-009: claims of a verified token stand in for requestMetadata', () => {
    const facts = { jwt: { sub: 'alice' } };
    expect(attributesOf({ facts })?.metadataContext?.filterMetadata).toEqual({
      'envoy.filters.http.jwt_authn': { jwt_payload: { sub: 'alice' } },
    });
    expect(attributesOf({ facts }, { metadata: {} })?.metadataContext?.filterMetadata).toEqual({});
  });
});
