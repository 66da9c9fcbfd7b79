import type { ShownToken } from './shown-tokens.ts';

const TYPE = 'urn:ietf:params:oauth:token-type:';
export const ACCESS_TOKEN = `${TYPE}access_token`;
export const ID_TOKEN = `${TYPE}id_token`;
export const ID_JAG = `${TYPE}id-jag`;
const JWT = `${TYPE}jwt`;

/** What is given here in exchange (RFC 8693, section 3, and the draft of identity assertions). */
export const ISSUED_TYPES: readonly string[] = [ACCESS_TOKEN, JWT, ID_TOKEN, ID_JAG];

/** What the header of an identity assertion says that it is. */
export const ID_JAG_HEADER = 'oauth-id-jag+jwt';

/** Whether a token says of itself that it is an identity assertion. */
export function isIdJag({ header }: ShownToken): boolean {
  return header?.['typ'] === ID_JAG_HEADER;
}

/** RFC 8693, section 2.1: a token must be what its type says. Of types that nobody here knows nothing is known. */
export function isOfType(token: ShownToken, type: string | null): boolean {
  // An assertion is for one server, which gives a token for it; as any other token it opens nothing.
  if (type === ID_JAG || isIdJag(token)) return type === ID_JAG && isIdJag(token);
  if (type === JWT) return token.claims !== undefined;
  return type !== ID_TOKEN || OF_ID_TOKENS.every((name) => token.claims?.[name] !== undefined);
}

/** OpenID Connect Core, section 2; for whom a token of a case is, only some cases say. */
const OF_ID_TOKENS = ['iss', 'sub', 'iat', 'exp'];
