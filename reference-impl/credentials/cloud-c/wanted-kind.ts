/** What kind of token a service of cloud C takes, and for what. */
export type WantedKind =
  | { readonly type: 'AccessToken'; readonly scope: string }
  | { readonly type: 'IdToken'; readonly audience: string };
