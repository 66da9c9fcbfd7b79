import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { durationFrom } from '../../scalars.ts';

/** Fetched from a Service or ProxyBackend; `jwksPath` is relative to its root; at least 5m apart (ADMIT-117, JWT-012). */
export const remoteJwks = noted(
  z.strictObject({
    jwksPath: noted(z.string().min(1).max(2000), { clause: 'LIMIT-039' }),
    cacheDuration: noted(durationFrom(300_000), { default: '5m' }).exactOptional(),
    backendRef: backendObjectReference,
  }),
  { requires: 'ADMIT-117' },
);

/** A JSON Web Key Set, fetched or written here (ADMIT-115). */
export const jwks = exactlyOne(
  z.strictObject({
    remote: remoteJwks.exactOptional(),
    inline: noted(z.string().min(2).max(65_536), { clause: 'LIMIT-022' }).exactOptional(),
  }),
  'ADMIT-115',
  'remote',
  'inline',
);

export type JWKS = z.infer<typeof jwks>;
export type RemoteJWKS = z.infer<typeof remoteJwks>;
