import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rfc3339 } from '../../../base/clock.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { signV4, type Signable } from '../../../credentials/cloud-a/sign-v4.ts';

const KEYS = { accessKey: 'AKIDEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SCOPE = { region: 'eu-west-1', service: 'bedrock', at: 1_750_000_000_007 };

describe('signV4', () => {
  it('signs as the library of the cloud does', async () => {
    const request = signable({
      target: '/model/us.anthropic.claude-3%3A0/converse?b=2&a=1&a=0',
      headers: HeaderMap.of([
        ['content-type', 'application/json'],
        ['user-agent', 'x'],
        ['x-amzn-thing', ' a   b '],
      ]),
    });
    const headers = signV4(request, KEYS, SCOPE);
    expect(headers.get('authorization')).toBe(await oracle(request));
    expect(headers.get('authorization')).toContain('SignedHeaders=content-type;host;x-amz-date;x-amzn-thing,');
    expect(headers.get('x-amz-date')).toBe('20250615T150640Z');
  });

  it('signs the session token, and nothing that stood in its place', async () => {
    const request = signable({
      headers: HeaderMap.of([
        ['x-amz-security-token', 'of the client'],
        ['authorization', 'Bearer of-the-client'],
      ]),
    });
    const headers = signV4(request, { ...KEYS, sessionToken: 'lent' }, SCOPE);
    expect(headers.getAll('x-amz-security-token')).toEqual(['lent']);
    const bare = signable({});
    expect(headers.get('authorization')).toBe(await oracle(bare, 'lent'));
  });

  it('agrees with the library for any path, query, field and body', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest(), async (request) => {
        expect(signV4(request, KEYS, SCOPE).get('authorization')).toBe(await oracle(request));
      }),
      { numRuns: 200 },
    );
  });
});

function signable(parts: Partial<Signable>): Signable {
  return {
    method: 'POST',
    authority: 'bedrock-runtime.eu-west-1.amazonaws.com',
    target: '/model/m/converse',
    headers: HeaderMap.EMPTY,
    body: new TextEncoder().encode('{"messages":[]}'),
    ...parts,
  };
}

function anyRequest(): fc.Arbitrary<Signable> {
  const word = fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.toWellFormed());
  const path = fc.array(word.map(encodeURIComponent), { maxLength: 5 }).map((segments) => `/${segments.join('/')}`);
  const query = fc.array(fc.tuple(word, word), { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs).toString());
  const value = fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[^ -~]/g, ' '));
  const name = fc.constantFrom('content-type', 'x-amz-a', 'x-amzn-b', 'accept', 'user-agent');
  const fields = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key });
  return fc
    .record({ path, query, fields, body: fc.uint8Array({ maxLength: 40 }), method: fc.constantFrom('GET', 'POST') })
    .map(({ path: at, query: asked, fields: list, body, method }) =>
      signable({ method, target: asked === '' ? at : `${at}?${asked}`, headers: HeaderMap.of(list), body }),
    );
}

/** What the signer of the cloud's own library says about the same request. */
async function oracle(request: Signable, sessionToken?: string): Promise<string | undefined> {
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: KEYS.accessKey,
      secretAccessKey: KEYS.secretKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    },
    region: SCOPE.region,
    service: SCOPE.service,
    sha256: Sha256,
    applyChecksum: false,
  });
  const url = new URL('http://x/');
  const [path = '', search = ''] = request.target.split(/\?(.*)/s);
  url.search = search;
  const names = new Set(url.searchParams.keys());
  const query = Object.fromEntries([...names].map((name) => [name, url.searchParams.getAll(name)]));
  const headers = { ...Object.fromEntries(request.headers), host: request.authority };
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: 'https:',
      hostname: request.authority,
      path,
      query,
      headers,
      body: request.body,
    },
    { signingDate: rfc3339(SCOPE.at), unsignableHeaders: new Set(['accept']) },
  );
  return signed.headers['authorization'];
}

/** The hash the library wants to be given. */
class Sha256 {
  readonly #hash;
  constructor(secret?: unknown) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: unknown): void {
    this.#hash.update(bytesOf(data));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
  reset(): void {
    throw new Error('each hash is used once');
  }
}

function bytesOf(data: unknown): Uint8Array {
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw new TypeError('bytes or text');
}
