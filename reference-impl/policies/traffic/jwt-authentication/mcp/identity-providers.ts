import type { OAuth } from './oauth.ts';

/*
 * THE TABLE OF IDENTITY PROVIDERS (MCPAUTH-005): where each has its metadata and takes registrations, and what of the
 * metadata must lead through the proxy. docs/decisions/mcp-oauth.md
 */

/** Every function takes what `issuerUrl` gives. */
export interface IdentityProvider {
  readonly metadataUrl: (issuer: string) => string;
  /** Undefined: it registers nobody. */
  readonly registrationUrl: (issuer: string) => string | undefined;
  /** The authorization endpoint wants to know for whom a token shall be. */
  readonly asksForAudience: boolean;
  /** Its own registration is hidden behind that of the proxy. */
  readonly registersHere: boolean;
  /** It refuses the `resource` parameter, which clients of MCP servers must send, so both ways go through the proxy. */
  readonly refusesResource: boolean;
}

const PLAIN: IdentityProvider = {
  metadataUrl: (issuer) => atRoot(issuer, '/.well-known/oauth-authorization-server', true),
  registrationUrl: (issuer) => `${issuer}/clients-registrations/openid-connect`,
  asksForAudience: false,
  registersHere: false,
  refusesResource: false,
};

const openId = (issuer: string): string => `${issuer}/.well-known/openid-configuration`;
const nobody = (): undefined => undefined;

const PROVIDERS: Readonly<Record<NonNullable<OAuth['idp']>, IdentityProvider>> = {
  Idp1: { ...PLAIN, asksForAudience: true },
  Idp2: { ...PLAIN, metadataUrl: openId, registersHere: true },
  Idp3: {
    ...PLAIN,
    metadataUrl: openId,
    registrationUrl: (issuer) => atRoot(issuer, '/oauth2/v1/clients', false),
    asksForAudience: true,
    registersHere: true,
  },
  Idp4: { ...PLAIN, metadataUrl: openId, registrationUrl: agenticRegistration, registersHere: true },
  Idp5: { ...PLAIN, metadataUrl: openId, registrationUrl: nobody, registersHere: true },
  Idp6: {
    ...PLAIN,
    metadataUrl: (issuer) => openId(issuer.endsWith('/v2.0') ? issuer : `${issuer}/v2.0`),
    registrationUrl: nobody,
    registersHere: true,
    refusesResource: true,
  },
};

/** The issuer as the beginning of a path. */
export function issuerUrl({ issuer }: OAuth): string {
  return issuer.replace(/\/+$/, '');
}

/** The row of the configured provider; without one it has the ways that most have. */
export function identityProvider({ idp }: OAuth): IdentityProvider {
  return idp === undefined ? PLAIN : PROVIDERS[idp];
}

/** RFC 8414, section 3: the well-known part stands before the path of the issuer. */
function atRoot(issuer: string, path: string, keepsPath: boolean): string {
  const url = URL.parse(issuer);
  if (url === null) return issuer;
  return `${url.origin}${path}${keepsPath && url.pathname !== '/' ? url.pathname : ''}`;
}

const AGENTIC = /^\/v1\/apps\/agentic\/([^/]+)\/([^/]+)$/;

function agenticRegistration(issuer: string): string | undefined {
  const [, project, server] = AGENTIC.exec(URL.parse(issuer)?.pathname ?? '') ?? [];
  if (project === undefined || server === undefined) return undefined;
  return atRoot(issuer, `/v1/mgmt/mcp/client/${project}/${server}/register`, false);
}
