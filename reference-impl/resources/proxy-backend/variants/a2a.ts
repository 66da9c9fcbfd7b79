import { z } from 'zod';
import { portNumber, shortString } from '../../scalars.ts';

export const a2aBackend = z.strictObject({ host: shortString, port: portNumber });

export type A2ABackend = z.infer<typeof a2aBackend>;
