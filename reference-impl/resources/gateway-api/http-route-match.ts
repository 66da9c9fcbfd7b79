import { z } from 'zod';
import { described } from '../notes.ts';
import { httpHeaderName } from '../scalars.ts';

/** Types default to PathPrefix for paths and Exact for the rest. */
const pathMatch = described(
  z.strictObject({
    type: z.enum(['Exact', 'PathPrefix', 'RegularExpression']).exactOptional(),
    value: z.string().max(1024).exactOptional(),
  }),
  { type: 'How the value is compared. Default: PathPrefix.', value: 'The path, or its beginning. Default: /.' },
);

const valueMatchType = z.enum(['Exact', 'RegularExpression']);

export const headerMatch = described(
  z.strictObject({
    type: valueMatchType.exactOptional(),
    name: httpHeaderName,
    value: z.string().min(1).max(4096),
  }),
  {
    type: 'How the value is compared. Default: Exact.',
    name: 'Name, in any case.',
    value: 'Value or expression, 1 to 4096 characters.',
  },
  'One header.',
);

const queryParamMatch = described(
  z.strictObject({
    type: valueMatchType.exactOptional(),
    name: z.string().min(1).max(256),
    value: z.string().min(1).max(1024),
  }),
  {
    type: 'How the value is compared. Default: Exact.',
    name: 'Name, exactly.',
    value: 'Value or expression, 1 to 1024 characters.',
  },
  'One query parameter.',
);

/** All parts of one match must hold; one match of a rule is enough. */
export const httpRouteMatch = described(
  z.strictObject({
    path: pathMatch.exactOptional(),
    headers: z.array(headerMatch).max(16).exactOptional(),
    queryParams: z.array(queryParamMatch).max(16).exactOptional(),
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']).exactOptional(),
  }),
  {
    path: 'Its path.',
    headers: 'Its headers, all of them, up to 16.',
    queryParams: 'Its query parameters, all of them, up to 16.',
    method: 'Its method.',
  },
  'What a request must have; all parts must hold.',
);

export type HTTPRouteMatch = z.infer<typeof httpRouteMatch>;
export type HTTPPathMatch = z.infer<typeof pathMatch>;
export type HTTPHeaderMatch = z.infer<typeof headerMatch>;
export type HTTPQueryParamMatch = z.infer<typeof queryParamMatch>;
