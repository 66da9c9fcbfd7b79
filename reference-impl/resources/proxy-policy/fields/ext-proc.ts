import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { celExpression, mapOf } from '../../scalars.ts';
import { orConditional } from './conditional.ts';
import { failureMode } from './failure-mode.ts';

const bodyMode = noted(z.enum(['FullDuplexStreamed', 'None', 'Buffered', 'BufferedPartial']), {
  default: 'FullDuplexStreamed',
  clause: 'ADMIT-175',
});
const headerMode = noted(z.enum(['Send', 'Skip']), { default: 'Send', clause: 'ADMIT-175' });

/** What the processor sees (EXTPROC-003 to EXTPROC-015). */
const processingOptions = described(
  z.strictObject({
    requestBodyMode: bodyMode.exactOptional(),
    responseBodyMode: bodyMode.exactOptional(),
    requestHeaderMode: headerMode.exactOptional(),
    responseHeaderMode: headerMode.exactOptional(),
    requestTrailerMode: headerMode.exactOptional(),
    responseTrailerMode: headerMode.exactOptional(),
    allowModeOverride: noted(z.boolean(), { default: false }).exactOptional(),
  }),
  {
    requestBodyMode: 'How request bodies are sent.',
    responseBodyMode: 'How bodies of answers are sent.',
    requestHeaderMode: 'Whether request headers are sent.',
    responseHeaderMode: 'Whether headers of answers are sent.',
    requestTrailerMode: 'Whether request trailers are sent.',
    responseTrailerMode: 'Whether trailers of answers are sent.',
    allowModeOverride: 'Whether the processor may change the modes.',
  },
);

/** Sends requests and answers through a Service or ProxyBackend that may change them. */
export const extProc = described(
  z.strictObject({
    /** Required: without a processor there is nothing to do. */
    backendRef: backendObjectReference,
    failureMode: noted(failureMode, { default: 'FailClosed' }).exactOptional(),
    metadataContext: noted(mapOf(z.record(z.string(), celExpression), 0, 64), { clause: 'LIMIT-045' }).exactOptional(),
    requestAttributes: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-045' }).exactOptional(),
    responseAttributes: noted(mapOf(celExpression, 0, 64), { clause: 'LIMIT-045' }).exactOptional(),
    processingOptions: processingOptions.exactOptional(),
  }),
  {
    backendRef: 'Service or ProxyBackend with the processor.',
    failureMode: 'What happens when the processor fails.',
    metadataContext: 'Metadata by namespace and name, by expression, up to 64.',
    requestAttributes: 'Attributes of requests, by expression, up to 64.',
    responseAttributes: 'Attributes of answers, by expression, up to 64.',
    processingOptions: 'What the processor sees.',
  },
  'Sends requests and answers through a processor.',
);

export const extProcOrConditional = orConditional(extProc);

export type ExtProc = z.infer<typeof extProc>;
export type ProcessingOptions = z.infer<typeof processingOptions>;
export type ExtProcOrConditional = z.infer<typeof extProcOrConditional>;
