import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { portNumber, shortString } from '../../scalars.ts';

/** An agent that speaks A2A; both members are required (ADMIT-009). */
export const a2aBackend = noted(
  described(z.strictObject({ host: shortString, port: portNumber }), {
    host: 'Host name or address.',
    port: 'Port number, 1 to 65535.',
  }),
  {
    text: 'An agent that speaks A2A.',
    requires: 'ADMIT-009',
  },
);

export type A2ABackend = z.infer<typeof a2aBackend>;
