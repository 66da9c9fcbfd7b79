import { z } from 'zod';
import { backendObjectReference } from '../../references.ts';
import { celExpression, mapOf } from '../../scalars.ts';
import { orConditional } from './conditional.ts';
import { failureMode } from './failure-mode.ts';

const bodyMode = z.enum(['FullDuplexStreamed', 'None', 'Buffered', 'BufferedPartial']);
const headerMode = z.enum(['Send', 'Skip']);

const processingOptions = z.strictObject({
  requestBodyMode: bodyMode.exactOptional(),
  responseBodyMode: bodyMode.exactOptional(),
  requestHeaderMode: headerMode.exactOptional(),
  responseHeaderMode: headerMode.exactOptional(),
  requestTrailerMode: headerMode.exactOptional(),
  responseTrailerMode: headerMode.exactOptional(),
  allowModeOverride: z.boolean().exactOptional(),
});

export const extProc = z.strictObject({
  backendRef: backendObjectReference.exactOptional(),
  failureMode: failureMode.exactOptional(),
  metadataContext: mapOf(z.record(z.string(), celExpression), 0, 64).exactOptional(),
  requestAttributes: mapOf(celExpression, 0, 64).exactOptional(),
  responseAttributes: mapOf(celExpression, 0, 64).exactOptional(),
  processingOptions: processingOptions.exactOptional(),
});

export const extProcOrConditional = orConditional(extProc);

export type ExtProc = z.infer<typeof extProc>;
export type ProcessingOptions = z.infer<typeof processingOptions>;
export type ExtProcOrConditional = z.infer<typeof extProcOrConditional>;
