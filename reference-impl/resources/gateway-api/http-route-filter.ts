import { z } from 'zod';
import { rule } from '../groups.ts';
import { described } from '../notes.ts';
import { backendObjectReference } from '../references.ts';
import { group, hostname, kindName, objectName, portNumber } from '../scalars.ts';
import { httpCorsFilter } from './http-cors-filter.ts';
import { httpHeaderFilter } from './http-header-filter.ts';

const pathModifier = z.discriminatedUnion('type', [
  described(
    z.strictObject({ type: z.literal('ReplaceFullPath'), replaceFullPath: z.string().max(1024) }),
    { type: 'ReplaceFullPath.', replaceFullPath: 'The new path.' },
    'Replaces the whole path.',
  ),
  described(
    z.strictObject({ type: z.literal('ReplacePrefixMatch'), replacePrefixMatch: z.string().max(1024) }),
    { type: 'ReplacePrefixMatch.', replacePrefixMatch: 'What stands in its place.' },
    'Replaces the matched prefix.',
  ),
]);

const requestRedirect = described(
  z.strictObject({
    scheme: z.enum(['http', 'https']).exactOptional(),
    hostname: hostname.exactOptional(),
    path: pathModifier.exactOptional(),
    port: portNumber.exactOptional(),
    statusCode: z.literal([301, 302, 303, 307, 308]).exactOptional(),
  }),
  {
    scheme: 'Scheme of the new address; that of the request when absent.',
    hostname: 'Host of the new address; that of the request when absent.',
    path: 'Path of the new address; that of the request when absent.',
    port: 'Port of the new address; by the scheme when absent.',
    statusCode: 'Status of the answer. Default: 302.',
  },
  'Answers with the address to go to.',
);

const urlRewrite = described(
  z.strictObject({ hostname: hostname.exactOptional(), path: pathModifier.exactOptional() }),
  { hostname: 'The new Host header.', path: 'The new path.' },
  'Changes the address before the request goes on.',
);

const requestMirror = described(
  z.strictObject({
    backendRef: backendObjectReference,
    percent: z.number().int().min(0).max(100).exactOptional(),
    fraction: described(
      z.strictObject({ numerator: z.number().int().min(0), denominator: z.number().int().min(1).exactOptional() }),
      { numerator: 'Part of the denominator.', denominator: 'The whole. Default: 100.' },
    ).exactOptional(),
  }),
  {
    backendRef: 'Where the copies go.',
    percent: 'Share of requests, 0 to 100. Default: 100.',
    fraction: 'Share of requests, as a fraction.',
  },
  'Sends a copy of requests elsewhere.',
);

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

/** Rules look at what was submitted, so a type may be anything. */
function memberFor(type: unknown): string | undefined {
  return typeof type === 'string' ? MEMBER_OF_TYPE[type] : undefined;
}

/** One filter: its type, and the member the type names. */
export const httpRouteFilter = rule(
  described(
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
      extensionRef: described(z.strictObject({ group, kind: kindName, name: objectName }), {
        group: 'Group; empty is core.',
        kind: 'Kind.',
        name: 'Name.',
      }).exactOptional(),
    }),
    {
      type: 'Which filter it is.',
      requestHeaderModifier: 'Edits of request headers.',
      responseHeaderModifier: 'Edits of response headers.',
      requestMirror: 'Where copies of requests go.',
      requestRedirect: 'The address the client is sent to.',
      urlRewrite: 'The address the backend sees.',
      cors: 'Answers for scripts of other origins.',
      extensionRef: 'An object with a filter of its own; none is known.',
    },
    'One filter: its type, and the member the type names.',
  ),
  'ADMIT-153',
  (filter) => {
    const wanted = memberFor(filter['type']);
    return wanted === undefined || MEMBERS.every((member) => (filter[member] !== undefined) === (member === wanted));
  },
  'a filter has the one member its type names',
  undefined,
  ({ type }) => `${memberFor(type)} for type ${typeof type === 'string' ? type : ''}`,
);

export type HTTPRouteFilter = z.infer<typeof httpRouteFilter>;
export type HTTPPathModifier = z.infer<typeof pathModifier>;
export type RequestRedirect = z.infer<typeof requestRedirect>;
export type URLRewrite = z.infer<typeof urlRewrite>;
export type RequestMirror = z.infer<typeof requestMirror>;
