import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { byteSize, durationFrom } from '../../scalars.ts';

/** Limits of HTTP connections of clients; times are at least 1s (FRONT-017 to FRONT-032). */
export const frontendHttp = described(
  z.strictObject({
    maxBufferSize: noted(byteSize, { default: '2M' }).exactOptional(),
    http1MaxHeaders: noted(z.number().int().min(1).max(4096), { default: 100, clause: 'LIMIT-014' }).exactOptional(),
    http1IdleTimeout: noted(durationFrom(1000), { default: '10m' }).exactOptional(),
    http1HeaderCase: noted(z.enum(['Lowercase', 'Preserve']), {
      default: 'Lowercase',
      clause: 'ADMIT-162',
    }).exactOptional(),
    http2WindowSize: byteSize.exactOptional(),
    http2ConnectionWindowSize: byteSize.exactOptional(),
    http2FrameSize: noted(byteSize, { default: '16k' }).exactOptional(),
    http2MaxHeaderSize: noted(byteSize, { default: '16Ki' }).exactOptional(),
    http2KeepaliveInterval: durationFrom(1000).exactOptional(),
    http2KeepaliveTimeout: durationFrom(1000).exactOptional(),
    maxConnectionDuration: durationFrom(1000).exactOptional(),
  }),
  {
    maxBufferSize: 'Most bytes of a body held for policies.',
    http1MaxHeaders: 'Most headers of an HTTP/1 request, 1 to 4096.',
    http1IdleTimeout: 'How long an HTTP/1 connection may idle, at least 1s.',
    http1HeaderCase: 'Case of header names on HTTP/1; HTTP/2 is always in lower case.',
    http2WindowSize: 'Flow control window of a stream.',
    http2ConnectionWindowSize: 'Flow control window of a connection.',
    http2FrameSize: 'Largest frame taken.',
    http2MaxHeaderSize: 'Largest header list taken.',
    http2KeepaliveInterval: 'Time between pings, at least 1s.',
    http2KeepaliveTimeout: 'Time to answer a ping, at least 1s.',
    maxConnectionDuration: 'How long a connection may live, at least 1s.',
  },
);

export type FrontendHTTP = z.infer<typeof frontendHttp>;
