import { z } from 'zod';
import { described, noted } from '../../notes.ts';

/** What becomes of CONNECT requests; without this block they are denied (ADMIT-076, CONNECT-006). */
export const connect = noted(
  described(z.strictObject({ mode: noted(z.enum(['Deny', 'Route', 'Tunnel']), { clause: 'ADMIT-077' }) }), {
    mode: 'What becomes of CONNECT requests.',
  }),
  { requires: 'ADMIT-076' },
);

export type Connect = z.infer<typeof connect>;
