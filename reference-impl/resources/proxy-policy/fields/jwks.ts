import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { backendObjectReference } from '../../references.ts';
import { duration } from '../../scalars.ts';

export const remoteJwks = z.strictObject({
  jwksPath: z.string().min(1).max(2000),
  cacheDuration: duration.exactOptional(),
  backendRef: backendObjectReference,
});

export const jwks = exactlyOne(
  z.strictObject({ remote: remoteJwks.exactOptional(), inline: z.string().min(2).max(65_536).exactOptional() }),
  'ADMIT-115',
  'remote',
  'inline',
);

export type JWKS = z.infer<typeof jwks>;
export type RemoteJWKS = z.infer<typeof remoteJwks>;
