import { z } from 'zod';
import { described, describedFields } from '../notes.ts';
import { backendHttp } from './fields/backend-http.ts';
import { backendTcp } from './fields/backend-tcp.ts';
import { backendTls } from './fields/backend-tls.ts';
import { backendTunnel } from './fields/backend-tunnel.ts';

/** The fields every kind of backend policy has: how the connection is made. */
export const backendConnectionShape = describedFields(
  {
    tcp: backendTcp.exactOptional(),
    tls: backendTls.exactOptional(),
    http: backendHttp.exactOptional(),
    tunnel: backendTunnel.exactOptional(),
  },
  {
    tcp: 'Timeouts and keepalive.',
    tls: 'How it is secured.',
    http: 'HTTP version and deadline.',
    tunnel: 'A proxy on the way.',
  },
);

const backendConnectionPolicy = described(z.strictObject(backendConnectionShape), {}, 'How a connection is made.');

export type BackendConnectionPolicy = z.infer<typeof backendConnectionPolicy>;
