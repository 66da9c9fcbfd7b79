import { z } from 'zod';
import { atLeastOne } from '../../groups.ts';
import { described, noted } from '../../notes.ts';
import { byteSize } from '../../scalars.ts';
import { failureMode } from './failure-mode.ts';

/** Bodies up to `maxBytes` are held whole; larger ones fail closed with 413 or 502, or pass (BUFFER-006, BUFFER-008). */
const bufferBody = described(
  z.strictObject({
    maxBytes: noted(byteSize, { default: '2Mi' }).exactOptional(),
    failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
  }),
  { maxBytes: 'Largest body held.', failureMode: 'Whether a larger body fails or passes.' },
);

/** Holds bodies back until they are complete. */
export const buffer = atLeastOne(
  described(z.strictObject({ request: bufferBody.exactOptional(), response: bufferBody.exactOptional() }), {
    request: 'Bodies of requests.',
    response: 'Bodies of answers.',
  }),
  'VERSION-008',
  'request',
  'response',
);

export type Buffer = z.infer<typeof buffer>;
export type BufferBody = z.infer<typeof bufferBody>;
