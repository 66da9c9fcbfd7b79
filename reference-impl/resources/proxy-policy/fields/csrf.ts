import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { listOf, shortString } from '../../scalars.ts';

// ADMIT-093: scheme, host, and optionally a port; nothing else.
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?$/;

/** Origins beside that of the destination, 1 to 16 (LIMIT-033). */
export const csrf = described(
  z.strictObject({
    additionalOrigins: noted(
      listOf(
        noted(shortString.regex(ORIGIN, 'must have the form scheme://host or scheme://host:port'), {
          clause: 'ADMIT-093',
        }),
        1,
        16,
      ),
      { clause: 'LIMIT-033' },
    ).exactOptional(),
  }),
  { additionalOrigins: '1 to 16 origins besides the own one: scheme, host and perhaps port.' },
);

export type CSRF = z.infer<typeof csrf>;
