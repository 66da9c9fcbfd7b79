import { createHash, createHmac } from 'node:crypto';
import type { Hash, Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { fieldOf, type GuardRequest } from './http.ts';

/** Whose signature it has to be. */
export interface Signer {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
  readonly service: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** What is wrong with the signature; undefined when the library of the cloud makes the same. */
export async function signatureProblem(request: GuardRequest, signer: Signer): Promise<string | undefined> {
  const authorization = fieldOf(request, 'authorization') ?? '';
  const [, accessKey, day, region, service, names = ''] = AUTHORIZATION.exec(authorization) ?? [];
  if (day === undefined) return 'no signature';
  if (accessKey !== signer.accessKey) return `a signature of ${accessKey}`;
  if (region !== signer.region || service !== signer.service) return `a signature for ${region} and ${service}`;
  const again = await signedAgain(request, signer, names.split(';'));
  return again === authorization ? undefined : 'a wrong signature';
}

async function signedAgain(request: GuardRequest, signer: Signer, names: readonly string[]): Promise<string> {
  const { accessKey, secretKey, region, service } = signer;
  const sign = new SignatureV4({
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    region,
    service,
    sha256: Sha256,
    applyChecksum: false,
  });
  const [path = '/', query = ''] = request.target.split('?', 2);
  const headers = Object.fromEntries(names.map((name) => [name, fieldOf(request, name) ?? '']));
  const signed = await sign.sign(
    {
      method: request.method,
      protocol: 'https:',
      hostname: headers['host'] ?? '',
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers,
      body: request.body,
    },
    { signingDate: dateOf(fieldOf(request, 'x-amz-date') ?? ''), signableHeaders: new Set(names) },
  );
  return signed.headers['authorization'] ?? '';
}

/** `20250615T150640Z` */
function dateOf(text: string): string {
  return text.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z');
}

/** The hash as the library wants it. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('a hash is used once');
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
