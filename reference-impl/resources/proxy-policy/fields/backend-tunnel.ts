import { z } from 'zod';
import { backendObjectReference } from '../../references.ts';

export const backendTunnel = z.strictObject({ backendRef: backendObjectReference });

export type BackendTunnel = z.infer<typeof backendTunnel>;
