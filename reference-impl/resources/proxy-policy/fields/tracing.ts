import { z } from 'zod';
import { backendObjectReference } from '../../references.ts';
import { celExpression, longString } from '../../scalars.ts';
import { attributeAdd, logTracingAttributes, otlpProtocol, pathOnlyWithHttp } from './telemetry-attributes.ts';

export const tracing = pathOnlyWithHttp(
  z.strictObject({
    backendRef: backendObjectReference,
    protocol: otlpProtocol.exactOptional(),
    path: longString.startsWith('/').exactOptional(),
    attributes: logTracingAttributes.exactOptional(),
    resources: z.array(attributeAdd).exactOptional(),
    randomSampling: celExpression.exactOptional(),
    clientSampling: celExpression.exactOptional(),
    filter: celExpression.exactOptional(),
  }),
);

export type Tracing = z.infer<typeof tracing>;
