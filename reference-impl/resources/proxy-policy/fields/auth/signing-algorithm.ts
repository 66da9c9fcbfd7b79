import { z } from 'zod';
import { noted } from '../../../notes.ts';

/** Algorithms the proxy signs with (ADMIT-148). */
export const signingAlgorithm = noted(z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384']), {
  clause: 'ADMIT-148',
});
