import { z } from 'zod';
import { backendHttp } from './fields/backend-http.ts';
import { backendTcp } from './fields/backend-tcp.ts';
import { backendTls } from './fields/backend-tls.ts';
import { backendTunnel } from './fields/backend-tunnel.ts';

/** The fields every kind of backend policy has: how the connection is made. */
export const backendConnectionShape = {
  tcp: backendTcp.exactOptional(),
  tls: backendTls.exactOptional(),
  http: backendHttp.exactOptional(),
  tunnel: backendTunnel.exactOptional(),
};

export const backendConnectionPolicy = z.strictObject(backendConnectionShape);

export type BackendConnectionPolicy = z.infer<typeof backendConnectionPolicy>;
