import { randomUUID } from 'node:crypto';
import { signatureProblem } from '../cloud-a-signature.ts';
import type { HttpReply, HttpRequest } from '../http-exchange.ts';
import { lendTo } from '../lending-failures.ts';
import { lendKeys, lentKeys } from '../lent-tokens.ts';
import type { LentKeys } from '../lent-tokens.ts';
import { lentUntil } from './lent-until.ts';

/** Who may take on roles: keys of the documents of the suite. */
const USERS: ReadonlyMap<string, string> = new Map([
  ['AKIDDISCOVERED', 'found-by-discovery'],
  ['AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG'],
]);

/** STS: AssumeRole, for who signs, and AssumeRoleWithWebIdentity, for who has a token. A role with `denied` in its name is nobody's. */
export async function tokenService(request: HttpRequest): Promise<HttpReply> {
  const form = new URLSearchParams(request.body.toString());
  const problem = formProblem(form);
  if (problem !== undefined) return failure(400, 'ValidationError', problem);
  const [role, session] = [form.get('RoleArn') ?? '', form.get('RoleSessionName') ?? ''];
  if (form.get('Action') === 'AssumeRoleWithWebIdentity') {
    const token = form.get('WebIdentityToken') ?? '';
    if (token === '') return failure(400, 'InvalidIdentityToken', 'No token.');
    return granted('AssumeRoleWithWebIdentity', role, session, lendKeys({ by: 'web-identity', role, session }));
  }
  const header = headersOf(request);
  const [, by = '', region = ''] =
    /Credential=([^/]+)\/\d{8}\/([^/]+)\/sts\//.exec(header('authorization') ?? '') ?? [];
  const signer = signerOf(by, header('x-amz-security-token'));
  if (signer === undefined)
    return failure(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.');
  const wrong = await signatureProblem(request, { ...signer, region, service: 'sts' });
  if (wrong !== undefined) return failure(403, 'SignatureDoesNotMatch', wrong);
  if (role.includes('denied'))
    return failure(403, 'AccessDenied', `not authorized to perform: sts:AssumeRole on ${role}`);
  return granted(
    'AssumeRole',
    role,
    session,
    lendKeys({ by, role, session, tags: tagsOf(form), serial: (serial += 1) }),
  );
}

/** Every answer lends other keys, so that it shows whether keys were used again. */
let serial = 0;

function signerOf(
  accessKey: string,
  sessionToken: string | undefined,
): Pick<LentKeys, 'accessKey' | 'secretKey'> | undefined {
  if (sessionToken !== undefined) return lentKeys(sessionToken);
  const secretKey = USERS.get(accessKey);
  return secretKey === undefined ? undefined : { accessKey, secretKey };
}

function headersOf({ headers }: HttpRequest): (wanted: string) => string | undefined {
  return (wanted) => headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

const MOST_TAGS = 50;

/** As the reference of the cloud has it. */
function formProblem(form: URLSearchParams): string | undefined {
  if (form.get('Version') !== '2011-06-15') return 'Version must be 2011-06-15.';
  if (!/^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/.test(form.get('RoleArn') ?? ''))
    return `${form.get('RoleArn')} is invalid`;
  if (!/^[\w+=,.@-]{2,64}$/.test(form.get('RoleSessionName') ?? ''))
    return 'roleSessionName failed to satisfy constraint';
  const tags = Object.entries(tagsOf(form));
  if (tags.length > MOST_TAGS) return 'too many tags';
  return tags.every(([key, value]) => key.length <= 128 && value.length <= 256) ? undefined : 'a tag is too long';
}

/** By their keys, in order. */
function tagsOf(form: URLSearchParams): Readonly<Record<string, string>> {
  const keys = [...form.keys()].flatMap((name) => /^Tags\.member\.(\d+)\.Key$/.exec(name)?.[1] ?? []);
  const pairs = keys.map(
    (n) => [form.get(`Tags.member.${n}.Key`) ?? '', form.get(`Tags.member.${n}.Value`) ?? ''] as const,
  );
  return Object.fromEntries(pairs.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))));
}

const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';

function granted(action: string, role: string, session: string, keys: LentKeys): HttpReply {
  const credentials = [
    element('AccessKeyId', keys.accessKey),
    element('SecretAccessKey', keys.secretKey),
    element('SessionToken', keys.sessionToken),
    element('Expiration', lentUntil()),
  ].join('');
  const arn = `${role.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${session}`;
  const user = `${element('AssumedRoleId', `AROAEXAMPLE:${session}`)}${element('Arn', arn)}`;
  const result = `<Credentials>${credentials}</Credentials><AssumedRoleUser>${user}</AssumedRoleUser>`;
  const meta = `<ResponseMetadata>${element('RequestId', randomUUID())}</ResponseMetadata>`;
  const xml = `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${result}</${action}Result>${meta}</${action}Response>`;
  return lendTo(role, { status: 200, headers: { 'content-type': 'text/xml' }, body: xml });
}

function failure(status: number, code: string, message: string): HttpReply {
  const error = `<Error><Type>Sender</Type>${element('Code', code)}${element('Message', message)}</Error>`;
  const xml = `<ErrorResponse xmlns="${NAMESPACE}">${error}${element('RequestId', randomUUID())}</ErrorResponse>`;
  return { status, headers: { 'content-type': 'text/xml' }, body: xml };
}

function element(name: string, text: string): string {
  return `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`;
}
