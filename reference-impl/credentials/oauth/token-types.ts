/** How documents name the types of tokens, and how RFC 8693 and the draft of identity assertions do. */
const URNS: Readonly<Record<string, string>> = {
  AccessToken: 'urn:ietf:params:oauth:token-type:access_token',
  Jwt: 'urn:ietf:params:oauth:token-type:jwt',
  IdToken: 'urn:ietf:params:oauth:token-type:id_token',
  IdJag: 'urn:ietf:params:oauth:token-type:id-jag',
};

/** The URI of a type: that of a name, an absolute URI as it is (OAUTH-008), and for none that of AccessToken (OAUTH-007). */
export function tokenTypeUri(type = ''): string {
  return URNS[type === '' ? 'AccessToken' : type] ?? type;
}
