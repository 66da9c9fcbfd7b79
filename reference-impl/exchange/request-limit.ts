import { parseDuration } from '../base/duration.ts';
import { perObject } from '../base/per-object.ts';
import type { Timeouts } from '../resources/proxy-policy/fields/timeouts.ts';

/**
 * TRAFFIC-004: milliseconds a request may take; 0 is no limit, which is what a zero in an HTTPRoute says.
 * docs/decisions/request-timeout.md
 */
export const requestLimit = perObject(({ request }: Timeouts): number => parseDuration(request ?? '') ?? 0);
