import type { Origin } from '../../attachment/policies/effective-policy.ts';
import type { LentCredential } from '../../credentials/lent-credential.ts';
import { crossAppAccess } from '../../credentials/oauth/cross-app-access.ts';
import { tokenExchange } from '../../credentials/oauth/token-exchange.ts';
import type { Services } from '../../credentials/services.ts';
import type { Targeted } from '../../exchange/exchange.ts';
import type { BackendAuth } from '../../resources/proxy-policy/fields/auth/backend-auth.ts';
import { prepareRequest } from '../expression-input.ts';

/** The mechanism that lends a token for that of the client; undefined when the field names another. */
export function lentCredential(field: BackendAuth, origin: Origin): LentCredential | undefined {
  if (field.oauthTokenExchange !== undefined) return tokenExchange(field.oauthTokenExchange, origin);
  return field.crossAppAccess && crossAppAccess(field.crossAppAccess, origin);
}

/** The exchange with the lent credential instead of what the client showed for it. Rejects as `show` does. */
export async function showLent(exchange: Targeted, lent: LentCredential, services: Services): Promise<Targeted> {
  const { exchange: read, variables } = await prepareRequest(exchange, lent.readsBody);
  return { ...read, request: await lent.show(read, variables, services) };
}
