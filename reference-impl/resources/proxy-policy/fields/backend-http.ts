import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { durationFrom } from '../../scalars.ts';

/** `requestTimeout`: deadline of one attempt for a response, at least 1ms. */
export const backendHttp = described(
  z.strictObject({
    version: noted(z.enum(['HTTP1', 'HTTP2']), {
      defaultText: 'by appProtocol; HTTP2 for gRPC, HTTP1 for HTTPS, else as the client',
      clause: 'ADMIT-163',
    }).exactOptional(),
    requestTimeout: durationFrom(1).exactOptional(),
  }),
  { version: 'HTTP version.', requestTimeout: 'Deadline of one attempt, at least 1ms.' },
);

export type BackendHTTP = z.infer<typeof backendHttp>;
