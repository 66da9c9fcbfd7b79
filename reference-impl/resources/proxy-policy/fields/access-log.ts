import { z } from 'zod';
import { described, noted } from '../../notes.ts';
import { backendObjectReference } from '../../references.ts';
import { celExpression, longString } from '../../scalars.ts';
import { logTracingAttributes, otlpProtocol, pathOnlyWithHttp } from './telemetry-attributes.ts';

/** Sends the entries to a Service or ProxyBackend (ADMIT-085, LOG-007 to LOG-012). */
const otlpAccessLog = pathOnlyWithHttp(
  noted(
    described(
      z.strictObject({
        backendRef: backendObjectReference,
        filter: noted(celExpression, { defaultText: 'the filter of the access log' }).exactOptional(),
        attributes: noted(logTracingAttributes, { defaultText: 'the attributes of the access log' }).exactOptional(),
        protocol: otlpProtocol.exactOptional(),
        path: noted(longString.startsWith('/'), { default: '/v1/logs' }).exactOptional(),
      }),
      {
        backendRef: 'Service or ProxyBackend that takes the entries.',
        filter: 'Which requests are sent.',
        attributes: 'Attributes left out and added.',
        protocol: 'OTLP over HTTP or gRPC.',
        path: 'Path of the endpoint; for protocol HTTP.',
      },
    ),
    { requires: 'ADMIT-085' },
  ),
);

/** One entry per request for which `filter` is true. */
export const accessLog = described(
  z.strictObject({
    filter: celExpression.exactOptional(),
    attributes: logTracingAttributes.exactOptional(),
    otlp: otlpAccessLog.exactOptional(),
  }),
  {
    filter: 'Which requests get an entry; every one when absent.',
    attributes: 'Attributes left out and added.',
    otlp: 'Sends the entries to a collector.',
  },
);

export type AccessLog = z.infer<typeof accessLog>;
