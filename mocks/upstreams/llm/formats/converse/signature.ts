import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { LlmRequest } from '../../http.ts';
import type { LlmScript } from '../../script.ts';
import type { Headers, Problem } from '../format.ts';

type Signed = NonNullable<LlmScript['signed']>;

/** Cloud A takes no request without a signature; whose it is, `signatureProblem` says. */
export function signatureFormProblem(headers: Headers, key: string | false | undefined): Problem | undefined {
  if (key === false) return undefined;
  const { authorization } = headers;
  if (typeof authorization === 'string' && CLAIM.test(authorization)) return undefined;
  return { status: 403, message: 'Missing Authentication Token' };
}

const CLAIM =
  /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request, ?SignedHeaders=([^,\s]+), ?Signature=[0-9a-f]{64}$/;

/** Checks the signature as the cloud does: by making its own, with the cloud's library, over what arrived. */
export async function signatureProblem(request: LlmRequest, signed: Signed): Promise<Problem | undefined> {
  const headers = new Map(request.headers.map(([name, value]) => [name.toLowerCase(), value] as const));
  const [, accessKey, day, region, service, names = ''] = CLAIM.exec(headers.get('authorization') ?? '') ?? [];
  const moment = headers.get('x-amz-date') ?? '';
  const wanted = { region: signed.region ?? 'us-east-1', service: signed.service ?? 'bedrock' };
  if (accessKey !== signed.accessKey || headers.get('x-amz-security-token') !== signed.sessionToken)
    return refusal('The security token included in the request is invalid.');
  if (region !== wanted.region || service !== wanted.service)
    return refusal(`Credential should be scoped to ${wanted.region} and ${wanted.service}.`);
  if (!isNow(moment) || !moment.startsWith(day ?? ' ')) return refusal('Signature expired.');
  const covered = names.split(';');
  if (REQUIRED.some((name) => headers.has(name) && !covered.includes(name))) return refusal(MISMATCH);
  const hash = headers.get('x-amz-content-sha256');
  if (hash !== undefined && hash !== createHash('sha256').update(request.body).digest('hex')) return refusal(MISMATCH);
  const own = await ownSignature(request, covered, headers, signed, moment);
  return own === headers.get('authorization')?.replaceAll(/,(?! )/g, ', ') ? undefined : refusal(MISMATCH);
}

const REQUIRED = ['host', 'x-amz-date', 'x-amz-security-token'];
const MISMATCH = 'The request signature we calculated does not match the signature you provided.';

function refusal(message: string): Problem {
  return { status: 403, message };
}

const PATIENCE = 5 * 60_000;

/** `20250615T150640Z`, at most some minutes off. */
function isNow(moment: string): boolean {
  const now = performance.timeOrigin + performance.now();
  return Math.abs(now - instant(moment)) < PATIENCE;
}

/** Milliseconds since 1970; not a number for what is no moment. */
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

async function ownSignature(
  { method, target, body }: LlmRequest,
  covered: readonly string[],
  headers: ReadonlyMap<string, string>,
  { accessKey, secretKey, sessionToken, region = 'us-east-1', service = 'bedrock' }: Signed,
  moment: string,
): Promise<string | undefined> {
  const credentials = {
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false });
  const url = new URL(target, 'http://mock');
  const query = Object.fromEntries(
    [...new Set(url.searchParams.keys())].map((name) => [name, url.searchParams.getAll(name)]),
  );
  const signed = await signer.sign(
    {
      method,
      protocol: 'https:',
      hostname: headers.get('host') ?? '',
      path: target.split('?', 1)[0] ?? '',
      query,
      headers: Object.fromEntries(covered.map((name) => [name, headers.get(name) ?? ''])),
      body,
    },
    { signingDate: moment.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5') },
  );
  return signed.headers['authorization'];
}

/** The hash that the library wants to be given. */
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
