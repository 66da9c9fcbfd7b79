import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { duration } from '../../scalars.ts';

/** Fetched from a Service or ProxyBackend; `jwksPath` is relative to its root (ADMIT-117, JWT-012). */
export const remoteJwks = noted(
  described(
    z.strictObject({
      jwksPath: noted(z.string().min(1).max(2000), { clause: 'LIMIT-039' }),
      cacheDuration: noted(duration, { default: '5m' }).exactOptional(),
      backendRef: backendObjectReference,
    }),
    {
      jwksPath: 'Path of the key set below the root, 1 to 2000 characters.',
      cacheDuration: 'Time between two fetches, at least 5m.',
      backendRef: 'Service or static ProxyBackend that has the key set.',
    },
  ),
  { requires: 'ADMIT-117' },
);

/** A JSON Web Key Set, fetched or written here (ADMIT-115). */
export const jwks = exactlyOne(
  described(
    z.strictObject({
      remote: remoteJwks.exactOptional(),
      inline: noted(z.string().min(2).max(65_536), { clause: 'LIMIT-022' }).exactOptional(),
    }),
    { remote: 'Fetched from a server.', inline: 'Written here as JSON, 2 to 65536 characters.' },
    'A JSON Web Key Set.',
  ),
  'ADMIT-115',
  'remote',
  'inline',
);

export type JWKS = z.infer<typeof jwks>;
export type RemoteJWKS = z.infer<typeof remoteJwks>;
