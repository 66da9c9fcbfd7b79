import { z } from 'zod';
import { described, noted } from '../notes.ts';
import { accessLog } from './fields/access-log.ts';
import { authorization } from './fields/authorization.ts';
import { connect } from './fields/connect.ts';
import { frontendHttp } from './fields/frontend-http.ts';
import { frontendTls } from './fields/frontend-tls.ts';
import { keepalive } from './fields/keepalive.ts';
import { metrics } from './fields/metrics.ts';
import { proxyProtocol } from './fields/proxy-protocol.ts';
import { tracing } from './fields/tracing.ts';

/** How connections of clients are handled. Attaches to Gateways only (ADMIT-072, ADMIT-073). */
export const frontend = noted(
  described(
    z.strictObject({
      tcp: described(z.strictObject({ keepalive: keepalive.exactOptional() }), {
        keepalive: 'Probes of idle connections.',
      }).exactOptional(),
      networkAuthorization: authorization.exactOptional(),
      tls: frontendTls.exactOptional(),
      http: frontendHttp.exactOptional(),
      proxyProtocol: proxyProtocol.exactOptional(),
      connect: connect.exactOptional(),
      accessLog: accessLog.exactOptional(),
      tracing: tracing.exactOptional(),
      metrics: metrics.exactOptional(),
    }),
    {
      tcp: 'Settings of TCP connections.',
      networkAuthorization: 'Who may connect, before HTTP is spoken.',
      tls: 'TLS of clients.',
      http: 'Limits of HTTP connections.',
      proxyProtocol: 'Reads the PROXY header before anything else.',
      connect: 'What becomes of CONNECT requests; denied when absent.',
      accessLog: 'What is logged of requests.',
      tracing: 'Spans of requests.',
      metrics: 'Labels of metrics.',
    },
  ),
  { text: 'How connections of clients are handled; for Gateways only.' },
);

export type Frontend = z.infer<typeof frontend>;
