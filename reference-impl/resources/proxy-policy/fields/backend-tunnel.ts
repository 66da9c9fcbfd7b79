import { z } from 'zod';
import { noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';

/** Reaches the destination through a proxy: a Service or ProxyBackend (ADMIT-164). */
export const backendTunnel = noted(z.strictObject({ backendRef: backendObjectReference }), { requires: 'ADMIT-164' });

export type BackendTunnel = z.infer<typeof backendTunnel>;
