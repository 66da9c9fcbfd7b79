import { expect, test } from 'vitest';
import { samplesAreBeyondDoubt } from '../../case/lint/sample-rules.ts';
import { concreteCase } from '../support/concrete-case.ts';

const doubtsOf = (spec: unknown, more = {}): readonly string[] =>
  samplesAreBeyondDoubt(
    concreteCase('x.y', { config: [{ kind: 'ProxyBackend', metadata: { name: 'b' }, spec }], ...more }),
  ).map(({ message }) => message);

test.each<readonly [string, unknown]>([
  ['no ARN', { auth: { cloudA: { assumeRole: { roleArn: 'arn:x:iam::1:role/r' } } } }],
  ['empty block', { extAuth: { http: {} } }],
  ['without port', { ai: { provider: { vendor1: {}, host: 'a.example' } } }],
  ['without host', { ai: { provider: { vendor4: {}, pathPrefix: '/v2' } } }],
  ['PrivateKeyJwt', { clientAuth: { method: 'PrivateKeyJwt', secretRef: { name: 's' } } }],
  ['one format twice', { custom: { formats: [{ type: 'Messages' }, { type: 'Messages' }] } }],
  ['empty block', { static: { host: 'a.example', port: 80 }, policies: {} }],
  [
    'secretRef beside assumeRole',
    { cloudA: { secretRef: { name: 's' }, assumeRole: { roleArn: 'arn:aws:iam::123456789012:role/r' } } },
  ],
  ['promptGuard without', { ai: { promptGuard: { streaming: 'Enabled' } } }],
  ['insecureSkipVerify', { tls: { insecureSkipVerify: 'All', caCertificateRefs: [{ name: 'ca' }] } }],
  ['http2FrameSize', { http: { http2FrameSize: '8Ki' } }],
  ['http2FrameSize', { http: { http2FrameSize: 16_777_216 } }],
])('a sample with %s is doubtful', (word, spec) => {
  expect(doubtsOf(spec)).toEqual([expect.stringContaining(word)]);
});

test('samples beyond doubt pass, and what is to be refused or only observed is not looked at', () => {
  const good = {
    ai: { provider: { vendor1: {}, host: 'a.example', port: 443, pathPrefix: '/v2' } },
    roleArn: 'arn:aws:iam::123456789012:role/service',
    modelArn: 'arn:aws:bedrock:eu-west-1::foundation-model/m',
    http: { http2FrameSize: '16Ki' },
  };
  expect(doubtsOf(good)).toEqual([]);
  expect(doubtsOf({ http: {} }, { expect: { config: 'rejected' } })).toEqual([]);
  expect(doubtsOf({ http: {} }, { level: 'observe' })).toEqual([]);
});
