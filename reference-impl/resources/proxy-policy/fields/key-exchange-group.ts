import { z } from 'zod';
import { noted } from '../../notes.ts';

/** Groups for key exchange in TLS 1.2 and 1.3 (ADMIT-081). */
export const keyExchangeGroup = noted(z.enum(['X25519', 'P-256', 'P-384', 'X25519_MLKEM768']), { clause: 'ADMIT-081' });

export type KeyExchangeGroup = z.infer<typeof keyExchangeGroup>;
