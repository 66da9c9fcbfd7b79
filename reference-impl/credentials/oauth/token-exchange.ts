import type { Origin } from '../../attachment/policies/effective-policy.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import type { VariableSource } from '../../cel/program.ts';
import type { Received } from '../../exchange/exchange.ts';
import type { OAuthTokenExchange } from '../../resources/proxy-policy/fields/auth/oauth.ts';
import { BEARER } from '../../resources/proxy-policy/fields/location.ts';
import type { ShownCredential } from '../credential-location.ts';
import type { LentCredential } from '../lent-credential.ts';
import { putCredential } from '../put-credential.ts';
import { additionalParameters } from './additional-parameters.ts';
import { jwtBearerGrant, tokenExchangeGrant, type Parameter } from './grant.ts';
import { issuedToken } from './issued-token.ts';
import { keptToken } from './kept-token.ts';
import { mayAct } from './may-act.ts';
import { tokenPlace } from './shown-token.ts';
import { tokenHop } from './token-hop.ts';
import { tokenTypeUri } from './token-types.ts';

/** The client's token, exchanged for one the backend accepts (OAUTH-001 to OAUTH-037). */
export function tokenExchange(field: OAuthTokenExchange, origin: Origin): LentCredential {
  const places = { subject: tokenPlace(field.subjectToken?.source), actor: actorPlace(field) };
  const more = additionalParameters(field.additionalParams);
  const find = (exchange: Received, variables: VariableSource): Shown => {
    const subject = places.subject.find(exchange, variables);
    const actor = places.actor?.find(exchange, variables);
    demandMayAct(field, subject, actor);
    return { subject, actor };
  };
  return {
    readsBody: [places.subject, places.actor, more].some((part) => part?.readsBody === true),
    show: async (exchange, variables, services) => {
      const { subject, actor } = find(exchange, variables);
      const hop = tokenHop(field, origin, exchange);
      const grant = [...grantOf(field, subject.credential, actor?.credential), ...more.evaluate(variables)];
      const requested = requestedOf(field);
      const token = await keptToken(
        {
          origin,
          cache: field.cache,
          content: ['oauthTokenExchange', ...hop.content, JSON.stringify(grant)],
          shown: [subject, actor].flatMap((one) => one?.credential ?? []),
          hops: 1,
          fetch: async (asking) => issuedToken(await hop.ask(grant, asking, services), requested),
        },
        exchange,
        services,
      );
      const rest = subject.remove(exchange.request);
      // OAUTH-014 to OAUTH-016
      return putCredential(actor?.remove(rest) ?? rest, field.location ?? BEARER, token);
    },
  };
}

/** What the client showed. */
interface Shown {
  readonly subject: ShownCredential;
  readonly actor: ShownCredential | undefined;
}

/** OAUTH-036 */
function actorPlace({ grantType, actorToken }: OAuthTokenExchange): ReturnType<typeof tokenPlace> | undefined {
  return actorToken === undefined || grantType === 'JwtBearer' ? undefined : tokenPlace(actorToken.source);
}

/** OAUTH-035. Throws authorizationFailed when the subject does not let the actor act for it. */
function demandMayAct(
  { actorToken }: OAuthTokenExchange,
  { credential }: ShownCredential,
  actor: ShownCredential | undefined,
): void {
  if (actorToken?.mayAct !== 'Required' || actor === undefined) return;
  if (!mayAct(credential, actor.credential)) throw new ProxyError('authorizationFailed');
}

function grantOf(field: OAuthTokenExchange, subject: string, actor: string | undefined): readonly Parameter[] {
  if (field.grantType === 'JwtBearer') return jwtBearerGrant(subject, field);
  return tokenExchangeGrant(
    {
      subject: { token: subject, type: tokenTypeUri(field.subjectToken?.tokenType) },
      actor: actor === undefined ? undefined : { token: actor, type: tokenTypeUri(field.actorToken?.tokenType) },
      requestedType: requestedOf(field),
    },
    field,
  );
}

/** The jwt-bearer grant has no word for it. */
function requestedOf({ grantType, requestedTokenType }: OAuthTokenExchange): string | undefined {
  if (grantType === 'JwtBearer' || requestedTokenType === undefined) return undefined;
  return tokenTypeUri(requestedTokenType);
}
