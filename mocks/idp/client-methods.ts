/** How a client proves itself to a token endpoint, in the words of the registry of RFC 8414. */
export const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
export type Method = (typeof METHODS)[number];
