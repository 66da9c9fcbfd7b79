// What the mock uses of the library, which brings no types.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    /** Trusts `X-Forwarded-Proto` and its like. */
    proxy: boolean;
    callback(): RequestListener;
  }
}
