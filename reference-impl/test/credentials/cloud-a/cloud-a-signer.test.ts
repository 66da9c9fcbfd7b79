import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../base/clock.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { readBody } from '../../../base/read-body.ts';
import type { Request, Routed } from '../../../exchange/exchange.ts';
import { cloudASigner } from '../../../credentials/cloud-a/cloud-a-signer.ts';
import type { Environment } from '../../../credentials/environment.ts';
import type { CloudAAuth } from '../../../resources/proxy-policy/fields/auth/cloud.ts';
import type { LLMProvider } from '../../../resources/proxy-backend/variants/llm-provider.ts';
import { signV4 } from '../../../credentials/cloud-a/sign-v4.ts';
import { createTokenCache } from '../../../credentials/token-cache.ts';
import { requestVariables } from '../../../exchange/request-state.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';
import { exchangeOf } from '../../policies/support/exchange.ts';

const AT = 1_750_000_000_000;
const AMBIENT: Environment = { AWS_ACCESS_KEY_ID: 'AMBIENT', AWS_SECRET_ACCESS_KEY: 's', AWS_REGION: 'ca-west-1' };

describe('the keys of a signature', () => {
  test('are those of the environment when no Secret is named, the session token included', async () => {
    const environment = { ...AMBIENT, AWS_SESSION_TOKEN: 'lent' };
    const request = await signed({}, environment);
    expect(request.headers.get('authorization')).toContain('Credential=AMBIENT/');
    expect(request.headers.get('x-amz-security-token')).toBe('lent');
    expect(request.headers.get('authorization')).toContain('x-amz-security-token');
  });

  test.each([
    ['no variables', {}, {}],
    ['half of the variables', {}, { AWS_ACCESS_KEY_ID: 'A', AWS_REGION: 'r' }],
    ['empty variables', {}, { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: '', AWS_REGION: 'r' }],
    ['a Secret that is not there, although the environment has keys', { secretRef: { name: 'gone' } }, AMBIENT],
    ['no region', {}, { AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 's' }],
  ])('are missing with %s, and the request is not sent without', async (_, field, environment) => {
    const error: unknown = await signed(field, environment).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProxyError);
    expect(error).toMatchObject({ code: 'backendAuthenticationFailed' });
  });
});

describe('the region of a signature', () => {
  test.each([
    ['the policy', { region: 'of-policy' }, { vendor7: { region: 'of-backend' } }, 'of-policy'],
    ['the backend', {}, { vendor7: { region: 'of-backend' } }, 'of-backend'],
    ['the default of the backend', {}, { vendor7: {} }, 'us-east-1'],
    ['the environment', {}, undefined, 'ca-west-1'],
  ])('comes from %s', async (_, field, provider, region) => {
    const request = await signed(field, AMBIENT, provider);
    expect(request.headers.get('authorization')).toContain(`/${region}/bedrock/aws4_request`);
  });
});

test('the body is signed, and sent as it was', async () => {
  const request = await signed({}, AMBIENT);
  const { bytes } = await readBody(request.body, 100);
  expect(new TextDecoder().decode(bytes)).toBe('{"a":1}');
  const scope = { region: 'ca-west-1', service: 'bedrock', at: AT };
  const expected = signV4({ ...request, body: bytes }, { accessKey: 'AMBIENT', secretKey: 's' }, scope);
  expect(request.headers.get('authorization')).toBe(expected.get('authorization'));
});

test('a body that is too large to be held is refused', async () => {
  const exchange = exchangeOf({ maxBufferSize: 5, body: '{"a":1}' });
  await expect(signed({}, AMBIENT, undefined, exchange)).rejects.toMatchObject({ code: 'bodyTooLarge' });
});

function signed(
  field: CloudAAuth,
  environment: Environment,
  provider?: LLMProvider,
  exchange: Routed = exchangeOf({ body: '{"a":1}' }),
): Promise<Request> {
  const clock: Clock = { monotonic: () => 0, wall: () => AT, after: () => () => {} };
  const ai = { type: 'ai', protocol: 'ai', endpoints: [], mirrors: [], policies: { sources: {} } } as const;
  const backend = { name: 'ns/ai', key: 'ProxyBackend/ns/ai', ...ai, ...(provider && { provider }) };
  const ambient = { environment, discover: () => Promise.reject(new Error('nothing found')) };
  const services = { ...SERVICES, tokens: createTokenCache(clock) };
  const targeted = { ...exchange, clock, backend };
  return cloudASigner(field, ORIGIN, ambient).signFor(requestVariables(targeted), services)(targeted);
}
