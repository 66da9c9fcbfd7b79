import type { Received } from '../../../../exchange/exchange.ts';
import type { JWTAuthentication } from '../../../../resources/proxy-policy/fields/jwt-authentication.ts';

/** What clients of MCP servers are told about the way to a token. */
export interface OAuth {
  /** MCPAUTH-005: whose ways the identity provider has. */
  readonly idp: NonNullable<JWTAuthentication['mcp']>['provider'];
  readonly issuer: string;
  /** The first audience of the provider. */
  readonly audience: string | undefined;
  readonly resourceMetadata: Readonly<Record<string, unknown>>;
  readonly clientId: string | undefined;
  /** MCPAUTH-008: undefined when none is configured; a text, or undefined, when the Secret is looked up. */
  readonly clientSecret: ((exchange: Received) => string | undefined) | undefined;
}

/** Compiles `jwtAuthentication.mcp`; VERSION-008: there is one provider. */
export function compileOAuth({ mcp, providers }: JWTAuthentication): OAuth | undefined {
  const [provider] = providers;
  if (mcp === undefined || provider === undefined) return undefined;
  return {
    idp: mcp.provider,
    issuer: provider.issuer,
    audience: provider.audiences?.[0],
    resourceMetadata: mcp.resourceMetadata ?? {},
    clientId: mcp.clientId,
    clientSecret: undefined,
  };
}

/**
 * Whether clients find the authorization server here and not at the issuer: something of it is to be changed on the way.
 * docs/decisions/mcp-oauth.md
 */
export function isFront({ idp, clientId, clientSecret }: OAuth): boolean {
  return idp !== undefined || clientId !== undefined || clientSecret !== undefined;
}
