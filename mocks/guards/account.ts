import { createVerify, generateKeyPair } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { parseJsonObject } from '../json.ts';
import type { Json } from '../json.ts';
import { wallClock } from '../wall-clock.ts';

/** A service account of cloud C, and the server that gives it tokens. */
export interface Account {
  /** What an operator keeps in a Secret; `tokenUrl` is where the tokens come from. */
  readonly credentials: (tokenUrl: string) => string;
  /** Answers `POST /token`. */
  readonly serve: RequestListener;
}

const EMAIL = 'guard@project-1.example';
const KEY_ID = 'k1';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** The audience that the provider's documentation names for every account. */
const PUBLIC_AUDIENCE = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Characters of a question for a token. */
const MOST = 64 * 1024;

let keys: Promise<{ readonly publicKey: string; readonly privateKey: string }> | undefined;

/** The key is made once per process. `token` is what everybody gets who shows a statement of the account. */
export async function cloudCAccount(token: string): Promise<Account> {
  keys ??= promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const { publicKey, privateKey } = await keys;
  const audiences = new Set([PUBLIC_AUDIENCE]);
  return {
    credentials: (tokenUrl) => {
      audiences.add(tokenUrl);
      return JSON.stringify({
        type: 'service_account',
        project_id: 'project-1',
        private_key_id: KEY_ID,
        private_key: privateKey,
        client_email: EMAIL,
        client_id: '100000000000000000001',
        token_uri: tokenUrl,
      });
    },
    serve: (request, response) => {
      readBody(request, (body) => {
        const problem = problemOf(request, new URLSearchParams(body), { publicKey, audiences });
        if (problem === undefined)
          answer(response, 200, { access_token: token, expires_in: 3599, token_type: 'Bearer' });
        else answer(response, 400, { error: 'invalid_grant', error_description: problem });
      });
    },
  };
}

function readBody(request: IncomingMessage, done: (body: string) => void): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (piece: string) => {
    body = (body + piece).slice(0, MOST);
  });
  request.once('end', () => done(body));
}

function answer(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

/** What the account knows of statements that are its own. */
interface Known {
  readonly publicKey: string;
  readonly audiences: ReadonlySet<string>;
}

/** What is wrong with the question for a token (RFC 7523). */
function problemOf(
  request: IncomingMessage,
  form: URLSearchParams,
  { publicKey, audiences }: Known,
): string | undefined {
  if (request.method !== 'POST' || request.url !== '/token') return 'not POST /token';
  if (form.get('grant_type') !== GRANT) return 'another grant';
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const verify = createVerify('sha256').update(`${header}.${claims}`);
  if (!verify.verify(publicKey, Buffer.from(signature, 'base64url'))) return 'a wrong signature';
  const { alg, kid } = decodePart(header);
  if (alg !== 'RS256' || kid !== KEY_ID) return 'another key';
  return claimsProblem(decodePart(claims), audiences);
}

function claimsProblem({ iss, aud, scope, iat, exp }: Json, audiences: ReadonlySet<string>): string | undefined {
  if (iss !== EMAIL || !audiences.has(String(aud)) || scope !== SCOPE) return 'a statement about something else';
  return Number(exp) - Number(iat) <= 3600 && Number(exp) * 1000 > wallClock() ? undefined : 'not in its time';
}

/** What is no JSON object is a statement about nothing. */
function decodePart(part: string): Json {
  return parseJsonObject(Buffer.from(part, 'base64url').toString()) ?? {};
}
