import { ProxyError } from '../../base/proxy-error.ts';
import type { VariableSource } from '../../cel/program.ts';
import type { Received } from '../../exchange/exchange.ts';
import { BEARER, type AuthorizationExtractionLocation } from '../../resources/proxy-policy/fields/location.ts';
import { credentialLocation, type ShownCredential } from '../credential-location.ts';

/** Where a token of the client is looked for. */
export interface TokenPlace {
  readonly readsBody: boolean;
  /** Throws invalidRequest when it is not there. */
  readonly find: (exchange: Received, variables: VariableSource) => ShownCredential;
}

/**
 * OAUTH-005, OAUTH-006: the place of a subject or actor token. One that jwtAuthentication has checked and taken away still
 * counts as standing where it came. docs/decisions/token-exchange.md
 */
export function tokenPlace(source: AuthorizationExtractionLocation = BEARER): TokenPlace {
  const { readsBody, extract } = credentialLocation(source);
  return {
    readsBody,
    find: (exchange, variables) => {
      const shown = extract(exchange.request, variables);
      if (shown !== undefined) return shown;
      const { acceptedToken } = exchange.handover;
      const came = acceptedToken === undefined ? undefined : extract(exchange.asked, variables);
      if (came === undefined || came.credential !== acceptedToken) throw new ProxyError('invalidRequest');
      return came;
    },
  };
}
