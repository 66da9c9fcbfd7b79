import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { celExpression, longString } from '../../scalars.ts';
import { attributeAdd, logTracingAttributes, otlpProtocol, pathOnlyWithHttp } from './telemetry-attributes.ts';

/**
 * Spans to a Service or ProxyBackend (ADMIT-083). Sampling gives a share from 0.0 to 1.0 or a boolean: `randomSampling` for
 * requests without a trace, `clientSampling` for those with one.
 */
export const tracing = pathOnlyWithHttp(
  noted(
    described(
      z.strictObject({
        backendRef: backendObjectReference,
        protocol: otlpProtocol.exactOptional(),
        path: noted(longString.startsWith('/'), { default: '/v1/traces' }).exactOptional(),
        attributes: logTracingAttributes.exactOptional(),
        resources: z.array(attributeAdd).exactOptional(),
        randomSampling: noted(celExpression, { defaultText: 'never' }).exactOptional(),
        clientSampling: noted(celExpression, { defaultText: 'always' }).exactOptional(),
        filter: celExpression.exactOptional(),
      }),
      {
        backendRef: 'Service or ProxyBackend that takes the spans.',
        protocol: 'OTLP over HTTP or gRPC.',
        path: 'Path of the endpoint; for protocol HTTP.',
        attributes: 'Attributes of spans left out and added.',
        resources: 'Attributes of the resource.',
        randomSampling: 'Share from 0.0 to 1.0, or a boolean, for requests without a trace.',
        clientSampling: 'Share from 0.0 to 1.0, or a boolean, for requests with a trace.',
        filter: 'Which requests get spans.',
      },
    ),
    { requires: 'ADMIT-083' },
  ),
);

export type Tracing = z.infer<typeof tracing>;
