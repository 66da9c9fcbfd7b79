import { z } from 'zod';
import { described, noted } from '../../notes.ts';

/** Reads the PROXY header before anything else; Optional also takes connections without it (FRONT-004, FRONT-005). */
export const proxyProtocol = described(
  z.strictObject({
    version: noted(z.enum(['V1', 'V2', 'All']), { default: 'V2', clause: 'ADMIT-078' }).exactOptional(),
    mode: noted(z.enum(['Strict', 'Optional']), { default: 'Strict', clause: 'ADMIT-078' }).exactOptional(),
  }),
  { version: 'Version of the PROXY header taken.', mode: 'Whether connections without the header are taken too.' },
);

export type ProxyProtocol = z.infer<typeof proxyProtocol>;
