import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { parentReference, parentsStatus } from '../metadata.ts';
import { backendObjectReference } from '../references.ts';
import { duration, hostname, sectionName } from '../scalars.ts';
import { GATEWAY_API_V1 } from './gateway-api.ts';
import { httpRouteFilter } from './http-route-filter.ts';
import { httpRouteMatch } from './http-route-match.ts';

const httpBackendRef = z.strictObject({
  ...backendObjectReference.shape,
  /** Share of requests among the backendRefs of the rule. Default 1; 0 takes none. */
  weight: z.number().int().min(0).max(1_000_000).exactOptional(),
  filters: z.array(httpRouteFilter).max(16).exactOptional(),
});

const httpRouteTimeouts = z.strictObject({
  request: duration.exactOptional(),
  backendRequest: duration.exactOptional(),
});

const httpRouteRetry = z.strictObject({
  codes: z.array(z.number().int().min(400).max(599)).exactOptional(),
  attempts: z.number().int().min(0).exactOptional(),
  backoff: duration.exactOptional(),
});

const httpRouteRule = z.strictObject({
  name: sectionName.exactOptional(),
  matches: z.array(httpRouteMatch).max(64).exactOptional(),
  filters: z.array(httpRouteFilter).max(16).exactOptional(),
  backendRefs: z.array(httpBackendRef).max(16).exactOptional(),
  timeouts: httpRouteTimeouts.exactOptional(),
  retry: httpRouteRetry.exactOptional(),
  sessionPersistence: z.looseObject({}).exactOptional(),
});

export const httpRoute = z.strictObject({
  ...envelope(GATEWAY_API_V1, 'HTTPRoute'),
  spec: z.strictObject({
    parentRefs: z.array(parentReference).max(32).exactOptional(),
    useDefaultGateways: z.string().exactOptional(),
    hostnames: z.array(hostname).max(16).exactOptional(),
    rules: z.array(httpRouteRule).max(16).exactOptional(),
  }),
  status: parentsStatus.exactOptional(),
});

export type HTTPRoute = z.infer<typeof httpRoute>;
export type HTTPRouteRule = z.infer<typeof httpRouteRule>;
export type HTTPBackendRef = z.infer<typeof httpBackendRef>;
export type HTTPRouteTimeouts = z.infer<typeof httpRouteTimeouts>;
