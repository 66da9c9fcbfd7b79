import { z } from 'zod';
import { httpHeaderFilter } from '../../gateway-api/http-header-filter.ts';
import { atLeastOne } from '../../groups.ts';
import { described } from '../../notes.ts';

/** Header edits with literal values, on requests and answers. */
export const headerModifiers = atLeastOne(
  described(z.strictObject({ request: httpHeaderFilter.exactOptional(), response: httpHeaderFilter.exactOptional() }), {
    request: 'Edits of request headers.',
    response: 'Edits of response headers.',
  }),
  'TRAFFIC-007',
  'request',
  'response',
);

export type HeaderModifiers = z.infer<typeof headerModifiers>;
