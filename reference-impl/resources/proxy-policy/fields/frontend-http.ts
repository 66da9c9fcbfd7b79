import { z } from 'zod';
import { byteSize, durationFrom } from '../../scalars.ts';

export const frontendHttp = z.strictObject({
  maxBufferSize: byteSize.exactOptional(),
  http1MaxHeaders: z.number().int().min(1).max(4096).exactOptional(),
  http1IdleTimeout: durationFrom(1000).exactOptional(),
  http1HeaderCase: z.enum(['Lowercase', 'Preserve']).exactOptional(),
  http2WindowSize: byteSize.exactOptional(),
  http2ConnectionWindowSize: byteSize.exactOptional(),
  http2FrameSize: byteSize.exactOptional(),
  http2MaxHeaderSize: byteSize.exactOptional(),
  http2KeepaliveInterval: durationFrom(1000).exactOptional(),
  http2KeepaliveTimeout: durationFrom(1000).exactOptional(),
  maxConnectionDuration: durationFrom(1000).exactOptional(),
});

export type FrontendHTTP = z.infer<typeof frontendHttp>;
