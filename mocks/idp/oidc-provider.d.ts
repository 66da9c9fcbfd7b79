// What the mock uses of the library, which brings no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    /** Trusts `X-Forwarded-Proto` and its like. */
    proxy: boolean;
    callback(): RequestListener;
    on(event: string, listener: (...seen: never[]) => void): this;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    readonly Grant: new (of: { accountId: string; clientId: string }) => Grant;
  }

  export interface Interaction {
    readonly prompt: { readonly name: string };
    readonly params: Readonly<Record<string, string | undefined>>;
    readonly session?: { readonly accountId: string };
  }

  export interface Grant {
    readonly addOIDCScope: (scope: string) => void;
    readonly addResourceScope: (resource: string, scope: string) => void;
    readonly save: () => Promise<string>;
  }
}
