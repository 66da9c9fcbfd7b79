import { z } from 'zod';
import { envelope } from '../envelope.ts';
import { parentReference, parentsStatus } from '../metadata.ts';
import { described } from '../notes.ts';
import { backendObjectReference } from '../references.ts';
import { duration, hostname, sectionName } from '../scalars.ts';
import { GATEWAY_API_V1 } from './gateway-api.ts';
import { httpRouteFilter } from './http-route-filter.ts';
import { httpRouteMatch } from './http-route-match.ts';

const httpBackendRef = described(
  z.strictObject({
    ...backendObjectReference.shape,
    /** Share of requests among the backendRefs of the rule. Default 1; 0 takes none. */
    weight: z.number().int().min(0).max(1_000_000).exactOptional(),
    filters: z.array(httpRouteFilter).max(16).exactOptional(),
  }),
  {
    weight: 'Share of requests among the backendRefs of the rule. Default: 1; 0 takes none.',
    filters: 'Filters for this destination only, up to 16.',
  },
  'A destination of the rule.',
);

const httpRouteTimeouts = described(
  z.strictObject({
    request: duration.exactOptional(),
    backendRequest: duration.exactOptional(),
  }),
  {
    request: 'Time for the whole request; 0s for no limit.',
    backendRequest: 'Time for one attempt at a backend; 0s for no limit.',
  },
);

const httpRouteRetry = described(
  z.strictObject({
    codes: z.array(z.number().int().min(400).max(599)).exactOptional(),
    attempts: z.number().int().min(0).exactOptional(),
    backoff: duration.exactOptional(),
  }),
  {
    codes: 'Statuses that are tried again, 400 to 599.',
    attempts: 'How often it is tried again.',
    backoff: 'Time between tries.',
  },
);

const httpRouteRule = described(
  z.strictObject({
    name: sectionName.exactOptional(),
    matches: z.array(httpRouteMatch).max(64).exactOptional(),
    filters: z.array(httpRouteFilter).max(16).exactOptional(),
    backendRefs: z.array(httpBackendRef).max(16).exactOptional(),
    timeouts: httpRouteTimeouts.exactOptional(),
    retry: httpRouteRetry.exactOptional(),
    sessionPersistence: z.looseObject({}).exactOptional(),
  }),
  {
    name: 'Name of the rule, for policies.',
    matches: 'One must hold, up to 64; every request when absent.',
    filters: 'What is done to matched requests, up to 16.',
    backendRefs: 'Destinations by weight, up to 16.',
    timeouts: 'Limits of time.',
    retry: 'When requests are tried again.',
    sessionPersistence: 'Kept, not read.',
  },
  'Where requests go that match.',
);

export const httpRoute = described(
  z.strictObject({
    ...envelope(GATEWAY_API_V1, 'HTTPRoute'),
    spec: described(
      z.strictObject({
        parentRefs: z.array(parentReference).max(32).exactOptional(),
        useDefaultGateways: z.string().exactOptional(),
        hostnames: z.array(hostname).max(16).exactOptional(),
        rules: z.array(httpRouteRule).max(16).exactOptional(),
      }),
      {
        parentRefs: 'Gateways, ListenerSets or listeners it hangs on, up to 32.',
        useDefaultGateways: 'Kept, not read.',
        hostnames: 'Hosts it is for, up to 16; those of the listener when absent.',
        rules: 'The rules, up to 16.',
      },
    ),
    status: parentsStatus.exactOptional(),
  }),
  { spec: 'Parents, host names and rules.', status: 'What the controller observed; written by it alone.' },
  'Rules from requests to destinations.',
);

export type HTTPRoute = z.infer<typeof httpRoute>;
export type HTTPRouteRule = z.infer<typeof httpRouteRule>;
export type HTTPBackendRef = z.infer<typeof httpBackendRef>;
export type HTTPRouteTimeouts = z.infer<typeof httpRouteTimeouts>;
