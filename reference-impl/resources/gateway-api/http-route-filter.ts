import { z } from 'zod';
import { rule } from '../groups.ts';
import { backendObjectReference } from '../references.ts';
import { group, hostname, kindName, objectName, portNumber } from '../scalars.ts';
import { httpCorsFilter } from './http-cors-filter.ts';
import { httpHeaderFilter } from './http-header-filter.ts';

const pathModifier = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ReplaceFullPath'), replaceFullPath: z.string().max(1024) }),
  z.strictObject({ type: z.literal('ReplacePrefixMatch'), replacePrefixMatch: z.string().max(1024) }),
]);

const requestRedirect = z.strictObject({
  scheme: z.enum(['http', 'https']).exactOptional(),
  hostname: hostname.exactOptional(),
  path: pathModifier.exactOptional(),
  port: portNumber.exactOptional(),
  statusCode: z.literal([301, 302, 303, 307, 308]).exactOptional(),
});

const urlRewrite = z.strictObject({ hostname: hostname.exactOptional(), path: pathModifier.exactOptional() });

const requestMirror = z.strictObject({
  backendRef: backendObjectReference,
  percent: z.number().int().min(0).max(100).exactOptional(),
  fraction: z
    .strictObject({ numerator: z.number().int().min(0), denominator: z.number().int().min(1).exactOptional() })
    .exactOptional(),
});

/** Filter type and the one member that carries its settings. */
const MEMBER_OF_TYPE: Readonly<Record<string, string>> = {
  RequestHeaderModifier: 'requestHeaderModifier',
  ResponseHeaderModifier: 'responseHeaderModifier',
  RequestMirror: 'requestMirror',
  RequestRedirect: 'requestRedirect',
  URLRewrite: 'urlRewrite',
  CORS: 'cors',
  ExtensionRef: 'extensionRef',
};
const MEMBERS = Object.values(MEMBER_OF_TYPE);

/** One filter: its type, and the member the type names. */
export const httpRouteFilter = rule(
  z.strictObject({
    type: z.enum([
      'RequestHeaderModifier',
      'ResponseHeaderModifier',
      'RequestMirror',
      'RequestRedirect',
      'URLRewrite',
      'CORS',
      'ExtensionRef',
    ]),
    requestHeaderModifier: httpHeaderFilter.exactOptional(),
    responseHeaderModifier: httpHeaderFilter.exactOptional(),
    requestMirror: requestMirror.exactOptional(),
    requestRedirect: requestRedirect.exactOptional(),
    urlRewrite: urlRewrite.exactOptional(),
    cors: httpCorsFilter.exactOptional(),
    extensionRef: z.strictObject({ group, kind: kindName, name: objectName }).exactOptional(),
  }),
  'ADMIT-153',
  (filter) => {
    const wanted = MEMBER_OF_TYPE[String(filter['type'])];
    return wanted === undefined || MEMBERS.every((member) => (filter[member] !== undefined) === (member === wanted));
  },
  'a filter has the one member its type names',
  undefined,
  (filter) => `${MEMBER_OF_TYPE[String(filter['type'])]} for type ${String(filter['type'])}`,
);

export type HTTPRouteFilter = z.infer<typeof httpRouteFilter>;
export type HTTPPathModifier = z.infer<typeof pathModifier>;
export type RequestRedirect = z.infer<typeof requestRedirect>;
export type URLRewrite = z.infer<typeof urlRewrite>;
export type RequestMirror = z.infer<typeof requestMirror>;
