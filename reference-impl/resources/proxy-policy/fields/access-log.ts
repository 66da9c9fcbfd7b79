import { z } from 'zod';
import { noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { celExpression, longString } from '../../scalars.ts';
import { logTracingAttributes, otlpProtocol, pathOnlyWithHttp } from './telemetry-attributes.ts';

/** Sends the entries to a Service or ProxyBackend (ADMIT-085, LOG-007 to LOG-012). */
const otlpAccessLog = pathOnlyWithHttp(
  noted(
    z.strictObject({
      backendRef: backendObjectReference,
      filter: noted(celExpression, { defaultText: 'the filter of the access log' }).exactOptional(),
      attributes: noted(logTracingAttributes, { defaultText: 'the attributes of the access log' }).exactOptional(),
      protocol: otlpProtocol.exactOptional(),
      path: noted(longString.startsWith('/'), { default: '/v1/logs' }).exactOptional(),
    }),
    { requires: 'ADMIT-085' },
  ),
);

/** One entry per request for which `filter` is true. */
export const accessLog = z.strictObject({
  filter: celExpression.exactOptional(),
  attributes: logTracingAttributes.exactOptional(),
  otlp: otlpAccessLog.exactOptional(),
});

export type AccessLog = z.infer<typeof accessLog>;
