import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';

/** Reaches the destination through a proxy: a Service or ProxyBackend (ADMIT-164). */
export const backendTunnel = noted(
  described(z.strictObject({ backendRef: backendObjectReference }), {
    backendRef: 'The proxy: a Service or ProxyBackend.',
  }),
  { requires: 'ADMIT-164' },
);

export type BackendTunnel = z.infer<typeof backendTunnel>;
