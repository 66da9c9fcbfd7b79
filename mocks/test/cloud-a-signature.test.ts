import { describe, expect, test } from 'vitest';
import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256, signatureProblem } from '../cloud-a-signature.ts';
import type { HttpRequest } from '../http-exchange.ts';

const SIGNER = { accessKey: 'A', secretKey: 's', region: 'us-east-1', service: 'bedrock' };
const CLAIM = `AWS4-HMAC-SHA256 Credential=A/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
const REQUEST = { method: 'POST', target: '/model/m/converse?a=1&a=2', body: Buffer.from('{}') };
const NOT_KNOWN = 'The security token included in the request is invalid.';
const OTHER_SCOPE = 'Credential should be scoped to us-east-1 and bedrock.';
const MISMATCH = 'The request signature we calculated does not match the signature you provided.';

describe('a signature', () => {
  test.each([
    ['none', [], NOT_KNOWN],
    ['one of other keys', [['authorization', CLAIM.replace('Credential=A', 'Credential=B')]], NOT_KNOWN],
    [
      'an old one',
      [
        ['authorization', CLAIM],
        ['x-amz-date', '20260101T000000Z'],
        ['host', 'h'],
      ],
      'Signature expired.',
    ],
    ['one for another region', [['authorization', CLAIM.replace('us-east-1', 'eu-west-1')]], OTHER_SCOPE],
    ['one for another service', [['authorization', CLAIM.replace('bedrock', 's3')]], OTHER_SCOPE],
    [
      'a token that nobody gave',
      [
        ['authorization', CLAIM],
        ['x-amz-security-token', 't'],
      ],
      NOT_KNOWN,
    ],
  ] as const)('is refused: %s', async (_, headers, problem) => {
    expect(await signatureProblem({ ...REQUEST, headers }, SIGNER)).toBe(problem);
  });

  test('of the library is taken, over what it was made for', async () => {
    const request = await sign(REQUEST);
    expect(await signatureProblem(request, SIGNER)).toBeUndefined();
    expect(await signatureProblem({ ...request, body: Buffer.from('[]') }, SIGNER)).toBe(MISMATCH);
    expect(await signatureProblem({ ...request, target: '/model/m/converse?a=1' }, SIGNER)).toBe(MISMATCH);
    expect(await signatureProblem(request, { ...SIGNER, secretKey: 'another' })).toBe(MISMATCH);
  });

  test('holds for all values of a field that comes several times, whether they came as one or not', async () => {
    const { headers, ...request } = await sign(REQUEST, { 'x-tag': 'one,two' });
    const apart = headers.flatMap(([name, value]) =>
      name === 'x-tag' ? value.split(',').map((each) => [name, each] as const) : [[name, value] as const],
    );
    expect(apart).toHaveLength(headers.length + 1);
    expect(await signatureProblem({ ...request, headers: apart }, SIGNER)).toBeUndefined();
    expect(await signatureProblem({ ...request, headers: apart.toReversed() }, SIGNER)).toBe(MISMATCH);
  });

  test('that leaves out the host is refused', async () => {
    const { headers, ...request } = await sign(REQUEST);
    const without = headers.map(
      ([name, value]) => [name, value.replace('SignedHeaders=host;', 'SignedHeaders=')] as const,
    );
    expect(await signatureProblem({ ...request, headers: without }, SIGNER)).toBe(MISMATCH);
  });
});

/** The request as a client with the library of the cloud sends it now. */
async function sign(
  request: Omit<HttpRequest, 'headers'>,
  more: Readonly<Record<string, string>> = {},
): Promise<HttpRequest> {
  const { accessKey: accessKeyId, secretKey: secretAccessKey, region, service } = SIGNER;
  const signer = new SignatureV4({ credentials: { accessKeyId, secretAccessKey }, region, service, sha256: Sha256 });
  const [path = '', query] = request.target.split('?', 2);
  const parameters = new URLSearchParams(query);
  const { headers } = await signer.sign({
    method: request.method,
    protocol: 'https:',
    hostname: 'h',
    path,
    query: Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)])),
    headers: { host: 'h', ...more },
    body: request.body,
  });
  return { ...request, headers: Object.entries(headers) };
}
