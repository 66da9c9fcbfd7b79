import { z } from 'zod';
import { backendObjectReference } from '../../references.ts';
import { celExpression, longString } from '../../scalars.ts';
import { logTracingAttributes, otlpProtocol, pathOnlyWithHttp } from './telemetry-attributes.ts';

const otlpAccessLog = pathOnlyWithHttp(
  z.strictObject({
    backendRef: backendObjectReference,
    filter: celExpression.exactOptional(),
    attributes: logTracingAttributes.exactOptional(),
    protocol: otlpProtocol.exactOptional(),
    path: longString.startsWith('/').exactOptional(),
  }),
);

export const accessLog = z.strictObject({
  filter: celExpression.exactOptional(),
  attributes: logTracingAttributes.exactOptional(),
  otlp: otlpAccessLog.exactOptional(),
});

export type AccessLog = z.infer<typeof accessLog>;
