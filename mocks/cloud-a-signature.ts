import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { HttpRequest } from './http-exchange.ts';
import { pathOf, queryOf } from './target.ts';
import { wallClock } from './wall-clock.ts';

/** Whose signature a request must have, and for what. */
export interface Signer {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string | undefined;
  readonly region: string;
  readonly service: string;
}

/** Whether text is the credentials of a signed request by its form; whose they are, `signatureProblem` says. */
export function isSignature(authorization: string): boolean {
  return CLAIM.test(authorization);
}

const CLAIM =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request, ?SignedHeaders=([^,\s]+), ?Signature=[0-9a-f]{64}$/;

/**
 * What is wrong with the signature of a request, in the words of the cloud; undefined when it is that of the signer. It is
 * checked as the cloud does it: by making its own, with the cloud's library, over what arrived.
 */
export async function signatureProblem(request: HttpRequest, signer: Signer): Promise<string | undefined> {
  const signed: Signed = {
    request,
    headers: joined(request.headers),
  };
  const [, accessKey, day, region, service, names = ''] = CLAIM.exec(signed.headers.get('authorization') ?? '') ?? [];
  const covered = names.split(';');
  return (
    signerProblem({ accessKey, region, service }, signed, signer) ??
    momentProblem(day, signed) ??
    contentProblem(covered, signed) ??
    (await valueProblem(covered, signed, signer))
  );
}

/** The fields by their names; several of one name are signed as one list, without spaces, in their order. */
function joined(fields: HttpRequest['headers']): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [field, value] of fields) {
    const name = field.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return headers;
}

interface Signed {
  readonly request: HttpRequest;
  readonly headers: ReadonlyMap<string, string>;
}

/** What the request says about itself; undefined where it has no signature. */
type Claim = { readonly [Member in 'accessKey' | 'region' | 'service']: string | undefined };

function signerProblem(claim: Claim, { headers }: Signed, wanted: Signer): string | undefined {
  if (claim.accessKey !== wanted.accessKey || headers.get('x-amz-security-token') !== wanted.sessionToken)
    return 'The security token included in the request is invalid.';
  if (claim.region === wanted.region && claim.service === wanted.service) return undefined;
  return `Credential should be scoped to ${wanted.region} and ${wanted.service}.`;
}

const PATIENCE = 5 * 60_000;

/** The moment of a signature is at most some minutes off, and on the day that its key is for. */
function momentProblem(day: string | undefined, { headers }: Signed): string | undefined {
  const moment = headers.get('x-amz-date') ?? '';
  const now = wallClock();
  const isNow = Math.abs(now - instant(moment)) < PATIENCE;
  return isNow && day !== undefined && moment.startsWith(day) ? undefined : 'Signature expired.';
}

/** Milliseconds since 1970 of `20250615T150640Z`; not a number for what is no moment. */
function instant(moment: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(moment) ?? [];
  const [year = NaN, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number);
  // Years that begin in March end with the day that is not always there.
  const [years, months] = month > 2 ? [year, month - 3] : [year - 1, month + 9];
  const leaps = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  const days = years * 365 + leaps + Math.floor((153 * months + 2) / 5) + day - DAYS_TO_1970;
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000;
}

/** From March of the year 0, counted as above. */
const DAYS_TO_1970 = 719_469;

const REQUIRED = ['host', 'x-amz-date', 'x-amz-security-token'];
const MISMATCH = 'The request signature we calculated does not match the signature you provided.';

/** What must be signed is, and the hash of the body is that of this body. */
function contentProblem(covered: readonly string[], { request, headers }: Signed): string | undefined {
  if (REQUIRED.some((name) => headers.has(name) && !covered.includes(name))) return MISMATCH;
  const hash = headers.get('x-amz-content-sha256');
  const isOther = hash !== undefined && hash !== createHash('sha256').update(request.body).digest('hex');
  return isOther ? MISMATCH : undefined;
}

async function valueProblem(covered: readonly string[], signed: Signed, signer: Signer): Promise<string | undefined> {
  const authorization = signed.headers.get('authorization')?.replaceAll(/,(?! )/g, ', ');
  return (await signAgain(covered, signed, signer)) === authorization ? undefined : MISMATCH;
}

/** The value of `Authorization` that this signer would have sent. */
async function signAgain(
  covered: readonly string[],
  { request, headers }: Signed,
  { accessKey, secretKey, sessionToken, region, service }: Signer,
): Promise<string | undefined> {
  const credentials = {
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false });
  const query = new URLSearchParams(queryOf(request.target));
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: 'https:',
      hostname: headers.get('host') ?? '',
      path: pathOf(request.target),
      query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
      headers: Object.fromEntries(covered.map((name) => [name, headers.get(name) ?? ''])),
      body: request.body,
    },
    {
      signingDate: (headers.get('x-amz-date') ?? '').replace(
        /^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/,
        '$1-$2-$3:$4:$5',
      ),
      signableHeaders: new Set(covered),
    },
  );
  return signed.headers['authorization'];
}

/** The hash that the library wants to be given. */
export class Sha256 {
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
