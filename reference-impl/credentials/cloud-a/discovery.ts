import type { LentKeys } from './lent-keys.ts';

/** Finds the keys that the process was given. Rejects when there are none. */
export type Discover = () => Promise<LentKeys>;

/**
 * BAUTH-014: the SDK of the cloud looks itself, in its own order: environment, shared files, web identity, container, instance. It is
 * loaded when the first request wants keys that the environment does not have.
 */
export const discoverKeys: Discover = async () => {
  const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = await defaultProvider()();
  const session = sessionToken === undefined ? {} : { sessionToken };
  const keys = { accessKey: accessKeyId, secretKey: secretAccessKey, ...session };
  return { keys, until: expiration?.getTime() };
};
