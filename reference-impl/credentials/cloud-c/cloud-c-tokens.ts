import { importPKCS8, SignJWT } from 'jose';
import { Buffer } from 'node:buffer';
import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { BackendView } from '../../attachment/view.ts';
import type { Cancellation } from '../../base/cancellation.ts';
import { HeaderMap } from '../../base/headers.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody, readBody } from '../../base/read-body.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { CloudCAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import { callHttp, type PeerRequest } from '../../upstream/peer-call.ts';
import type { Services } from '../services.ts';
import type { Token } from '../token-cache.ts';
import type { Environment } from '../cloud-a/cloud-a-signer.ts';
import { secretText } from '../secret-text.ts';

/** Access tokens of cloud C for one place of the configuration. */
export interface CloudCTokens {
  /** Rejects with processingFailed when none can be had. */
  readonly token: (exchange: Received, services: Services) => Promise<string>;
}

/**
 * BAUTH-029, BAUTH-030: tokens for the credentials of the Secret, or for the identity the platform gives the process.
 * Of the places where the platform may have one, only its metadata server is looked at.
 */
export function cloudCTokens(field: CloudCAuth, origin: Origin, environment: Environment = process.env): CloudCTokens {
  return {
    token: async (exchange, services) => {
      if (field.type === 'IdToken') return missing('tokens of the type IdToken are not implemented');
      const credentials = credentialsOf(field, origin, exchange);
      const wanted = {
        place: origin,
        content: ['cloudC', 'AccessToken', credentials ?? ''],
        fetch: async (cancellation: Cancellation) => {
          const asked = credentials === undefined ? ofPlatform(environment) : await ofAccount(credentials, exchange);
          return fetchToken(asked, { ...exchange, cancellation }, services);
        },
        patience: PATIENCE,
        margin: MARGIN,
      };
      return services.tokens.token(wanted, exchange.cancellation);
    },
  };
}

/** Milliseconds before its end at which a token is no longer used. */
const MARGIN = 60_000;
/** Milliseconds a token may take. */
const PATIENCE = 5_000;
const MOST_BYTES = 64 * 1024;
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const DEFAULT_KEY = 'credentials.json';

/** Undefined when none are named. What is named must be there: it is not replaced by what the platform has. */
function credentialsOf({ secretRef }: CloudCAuth, { namespace }: Origin, { view }: Received): string | undefined {
  if (secretRef === undefined) return undefined;
  const { name, key = DEFAULT_KEY } = secretRef;
  const secret = view.references.secret(name, namespace);
  const text = (secret && secretText(secret, key)?.trim()) ?? '';
  return text === '' ? missing(`Secret ${namespace}/${name} has no key ${key}`) : text;
}

interface Asked {
  readonly url: URL;
  readonly request: Pick<PeerRequest, 'method' | 'headers' | 'body'>;
}

/** The metadata server says who it is talking to by itself. */
function ofPlatform(environment: Environment): Asked {
  const host = environment['GCE_METADATA_HOST'] ?? 'metadata.google.internal';
  const path = `/computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(SCOPE)}`;
  const headers = HeaderMap.of([['metadata-flavor', 'Google']]);
  return { url: new URL(`http://${host}${path}`), request: { method: 'GET', headers, body: undefined } };
}

/** RFC 7523: a statement the account has signed, for a token. */
async function ofAccount(credentials: string, { clock }: Received): Promise<Asked> {
  const account = accountOf(credentials);
  const seconds = Math.floor(clock.wall() / 1000);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(account.keyId === undefined ? {} : { kid: account.keyId }) })
    .setIssuer(account.email)
    .setAudience(account.tokenUrl.href)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3600)
    .sign(await privateKey(account.key));
  const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  const headers = HeaderMap.of([['content-type', 'application/x-www-form-urlencoded']]);
  return {
    url: account.tokenUrl,
    request: { method: 'POST', headers, body: bytesBody(Buffer.from(form.toString())) },
  };
}

interface Account {
  readonly email: string;
  /** PKCS #8 in PEM. */
  readonly key: string;
  readonly keyId: string | undefined;
  readonly tokenUrl: URL;
}

function accountOf(credentials: string): Account {
  const { type, client_email: email, private_key: key, private_key_id: keyId, token_uri: uri } = members(credentials);
  const tokenUrl = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined;
  if (type !== 'service_account' || typeof email !== 'string' || typeof key !== 'string' || tokenUrl === undefined) {
    return missing('the credentials of cloud C are not those of a service account');
  }
  return { email, key, keyId: typeof keyId === 'string' ? keyId : undefined, tokenUrl };
}

async function privateKey(pem: string): ReturnType<typeof importPKCS8> {
  try {
    return await importPKCS8(pem, 'RS256');
  } catch {
    // The error of the library may show parts of the key.
    return missing('the private key of the credentials of cloud C cannot be read');
  }
}

async function fetchToken({ url, request }: Asked, exchange: Received, services: Services): Promise<Token> {
  const target = `${url.pathname}${url.search}`;
  const { status, body } = await callHttp(exchange, serverOf(url), { ...request, target }, services, {
    timeout: PATIENCE,
  });
  const { bytes, overflow } = await readBody(body, MOST_BYTES);
  if (overflow) body?.cancel();
  const { access_token: text, expires_in: seconds } = members(Buffer.from(bytes).toString());
  if (status !== 200 || typeof text !== 'string') return missing(`no token of cloud C: status ${status}`);
  return { value: text, lifetime: typeof seconds === 'number' ? seconds * 1000 : 0 };
}

function serverOf({ protocol, hostname, port, host }: URL): BackendView {
  const encrypted = protocol === 'https:';
  const endpoint = {
    kind: 'tcp',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (encrypted ? 443 : 80) : Number(port),
  } as const;
  const policies = { ...(encrypted ? { tls: {} } : {}), sources: {} };
  const key = `token/${host}`;
  return { name: host, key, type: 'static', protocol: 'http', endpoints: [endpoint], policies, mirrors: [] };
}

/** The members of a JSON object; none for any other text. */
function members(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function missing(detail: string): never {
  throw new ProxyError('processingFailed', detail);
}
