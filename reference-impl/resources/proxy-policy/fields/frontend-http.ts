import { z } from 'zod';
import { noted } from '../../notes.ts';
import { byteSize, durationFrom } from '../../scalars.ts';

/** Limits of HTTP connections of clients; times are at least 1s (FRONT-017 to FRONT-032). */
export const frontendHttp = z.strictObject({
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
});

export type FrontendHTTP = z.infer<typeof frontendHttp>;
