import { z } from 'zod';

/** A number of tokens, or a place in a list. */
export const count = z.int().min(0);
