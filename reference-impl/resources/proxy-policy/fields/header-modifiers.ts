import { z } from 'zod';
import { httpHeaderFilter } from '../../gateway-api/http-header-filter.ts';
import { atLeastOne } from '../../groups.ts';

/** Header edits with literal values, on requests and answers. */
export const headerModifiers = atLeastOne(
  z.strictObject({ request: httpHeaderFilter.exactOptional(), response: httpHeaderFilter.exactOptional() }),
  'TRAFFIC-007',
  'request',
  'response',
);

export type HeaderModifiers = z.infer<typeof headerModifiers>;
