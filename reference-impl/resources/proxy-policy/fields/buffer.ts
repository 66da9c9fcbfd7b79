import { z } from 'zod';
import { atLeastOne } from '../../groups.ts';
import { byteSize } from '../../scalars.ts';
import { failureMode } from './failure-mode.ts';

const bufferBody = z.strictObject({ maxBytes: byteSize.exactOptional(), failureMode: failureMode.exactOptional() });

export const buffer = atLeastOne(
  z.strictObject({ request: bufferBody.exactOptional(), response: bufferBody.exactOptional() }),
  'VERSION-008',
  'request',
  'response',
);

export type Buffer = z.infer<typeof buffer>;
export type BufferBody = z.infer<typeof bufferBody>;
