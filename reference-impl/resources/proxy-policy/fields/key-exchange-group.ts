import { z } from 'zod';

export const keyExchangeGroup = z.enum(['X25519', 'P-256', 'P-384', 'X25519_MLKEM768']);

export type KeyExchangeGroup = z.infer<typeof keyExchangeGroup>;
