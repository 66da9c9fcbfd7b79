import { z } from 'zod';
import { listOf, shortString } from '../../scalars.ts';

// ADMIT-093: scheme, host, and optionally a port; nothing else.
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?$/;

export const csrf = z.strictObject({
  additionalOrigins: listOf(
    shortString.regex(ORIGIN, 'must have the form scheme://host or scheme://host:port'),
    1,
    16,
  ).exactOptional(),
});

export type CSRF = z.infer<typeof csrf>;
