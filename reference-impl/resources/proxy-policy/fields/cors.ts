import type { z } from 'zod';
import { httpCorsFilter } from '../../gateway-api/http-cors-filter.ts';

/** The members of the Gateway API filter, inline. */
export const cors = httpCorsFilter;

export type CORS = z.infer<typeof cors>;
