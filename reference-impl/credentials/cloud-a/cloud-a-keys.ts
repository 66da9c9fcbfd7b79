import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { CloudAAuth } from '../../resources/proxy-policy/fields/auth/cloud.ts';
import type { LocalSecretObjectRef } from '../../resources/references.ts';
import type { Environment } from '../environment.ts';
import { cloudToken } from '../cloud-token.ts';
import { jsonMembers } from '../json-members.ts';
import { refuseToSend } from '../refuse-to-send.ts';
import { secretText } from '../secret-text.ts';
import type { Services } from '../services.ts';
import type { Token } from '../token-cache.ts';
import { assumeRole } from './assume-role.ts';
import type { Discover } from './discovery.ts';
import type { LentKeys } from './lent-keys.ts';
import type { RoleSession } from './role-session.ts';
import type { SigningKeys } from './sign-v4.ts';

/** What the process has from where it runs. */
export interface Ambient {
  readonly environment: Environment;
  readonly discover: Discover;
}

/** Whose keys are wanted, and where. */
export interface WantedKeys {
  readonly secretRef: CloudAAuth['secretRef'];
  readonly session: RoleSession | undefined;
  readonly region: string;
  readonly origin: Origin;
  readonly ambient: Ambient;
}

type Asking = { readonly exchange: Received; readonly services: Services };

/**
 * The keys that a request is signed with (BAUTH-012, BAUTH-014): those of the role, if there is one, else its base. Rejects with
 * backendAuthenticationFailed when there are none.
 */
export async function cloudAKeys(wanted: WantedKeys, asking: Asking): Promise<SigningKeys> {
  const base = await baseKeys(wanted, asking);
  const { session, region, ambient } = wanted;
  if (session === undefined) return base;
  const content = ['role', JSON.stringify(session), region, JSON.stringify(base)];
  return keptKeys(wanted.origin, content, asking, (exchange) =>
    assumeRole(session, base, { region, environment: ambient.environment }, { exchange, services: asking.services }),
  );
}

/** BAUTH-040: those of the Secret where one is named, also where they take on a role. docs/decisions/cloud-credentials.md */
async function baseKeys({ secretRef, origin, ambient }: WantedKeys, asking: Asking): Promise<SigningKeys> {
  if (secretRef !== undefined) return keysOfSecret(secretRef, origin, asking.exchange);
  const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = ambient.environment;
  const found = keysFrom(access, secret, token);
  return found ?? keptKeys(origin, ['ambient'], asking, () => discoverOrRefuse(ambient));
}

function keysOfSecret(ref: LocalSecretObjectRef, { namespace }: Origin, { view }: Received): SigningKeys {
  const secret = view.references.secret(ref, namespace);
  const text = (key: string): string | undefined => secret && secretText(secret, key)?.trim();
  const keys = keysFrom(text('accessKey'), text('secretKey'), text('sessionToken'));
  return keys ?? refuseToSend(`Secret ${namespace}/${ref.name} has no accessKey and secretKey`);
}

function keysFrom(accessKey = '', secretKey = '', sessionToken = ''): SigningKeys | undefined {
  if (accessKey === '' || secretKey === '') return undefined;
  // BAUTH-013
  return sessionToken === '' ? { accessKey, secretKey } : { accessKey, secretKey, sessionToken };
}

async function discoverOrRefuse({ discover }: Ambient): Promise<LentKeys> {
  try {
    return await discover();
  } catch {
    return refuseToSend('there are no keys of cloud A where its SDK looks');
  }
}

/** Milliseconds that keys are kept which do not say when they end. */
const USUAL_LIFETIME = 5 * 60_000;

async function keptKeys(
  origin: Origin,
  content: readonly string[],
  { exchange, services }: Asking,
  lend: (exchange: Received) => Promise<LentKeys>,
): Promise<SigningKeys> {
  const fetch = async (asking: Received): Promise<Token> => {
    const now = exchange.clock.wall();
    const { keys, until = now + USUAL_LIFETIME } = await lend(asking);
    return { value: JSON.stringify(keys), lifetime: until - now };
  };
  const kept = await cloudToken({ origin, content: ['cloudA', ...content], fetch }, exchange, services);
  const { accessKey, secretKey, sessionToken } = jsonMembers(kept);
  return keysFrom(textOf(accessKey), textOf(secretKey), textOf(sessionToken)) ?? refuseToSend('no keys were lent');
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
