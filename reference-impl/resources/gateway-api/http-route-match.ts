import { z } from 'zod';
import { httpHeaderName } from '../scalars.ts';

/** Types default to PathPrefix for paths and Exact for the rest. */
const pathMatch = z.strictObject({
  type: z.enum(['Exact', 'PathPrefix', 'RegularExpression']).exactOptional(),
  value: z.string().max(1024).exactOptional(),
});

const valueMatchType = z.enum(['Exact', 'RegularExpression']);

export const headerMatch = z.strictObject({
  type: valueMatchType.exactOptional(),
  name: httpHeaderName,
  value: z.string().min(1).max(4096),
});

const queryParamMatch = z.strictObject({
  type: valueMatchType.exactOptional(),
  name: z.string().min(1).max(256),
  value: z.string().min(1).max(1024),
});

/** All parts of one match must hold; one match of a rule is enough. */
export const httpRouteMatch = z.strictObject({
  path: pathMatch.exactOptional(),
  headers: z.array(headerMatch).max(16).exactOptional(),
  queryParams: z.array(queryParamMatch).max(16).exactOptional(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']).exactOptional(),
});

export type HTTPRouteMatch = z.infer<typeof httpRouteMatch>;
export type HTTPPathMatch = z.infer<typeof pathMatch>;
export type HTTPHeaderMatch = z.infer<typeof headerMatch>;
export type HTTPQueryParamMatch = z.infer<typeof queryParamMatch>;
