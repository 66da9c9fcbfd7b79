import type { CallNote } from '../../exchange/request-record.ts';
import { withoutShownParameters, type CredentialPlaces } from '../../trace/credentials.ts';
import type { Attribute } from '../attributes.ts';
import type { Entry } from '../entry.ts';
import { logFields, numberOf } from './log-keys.ts';
import { MCP_METHODS } from './mcp-asked.ts';

/** One kind of span, for the documentation. */
export interface SpanRow {
  readonly kind: 'SERVER' | 'CLIENT';
  readonly what: string;
  readonly name: string;
  readonly attributes: string;
}

/** THE TABLE OF SPANS. docs/decisions/telemetry.md */
export const SPANS: readonly SpanRow[] = [
  {
    kind: 'SERVER',
    what: 'a request',
    name: 'the added attribute `span.name`, else the method of MCP (`tools/call`), else the method and the prefix that matched (`GET /shop/*`), or the route',
    attributes:
      'the log keys without `error`, `url.scheme`, `network.protocol.version`, `proxy.ai.usage.cost.*` with the parts of what a call cost, and those that are added',
  },
  {
    kind: 'CLIENT',
    what: 'a call to the backend, one per attempt',
    name: 'the method',
    attributes:
      '`proxy.outbound.kind` `Primary`, `proxy.outbound.subtype`, `server.address`, `http.method`, `http.host`, `http.path`, `http.status`',
  },
  {
    kind: 'CLIENT',
    what: 'a call of a policy, or to a mirror',
    name: 'what the call is for: `ext_authz`, `ext_proc`, `rate_limit`, `guardrail`, `mirror`',
    attributes:
      '`proxy.outbound.kind` `Policy` or `Mirror`, `proxy.outbound.subtype`, `server.address`, `http.method`, `http.host`, `http.path` (of gRPC the service and its method), `http.status`',
  },
];

/** The attribute that names the span and is none itself. */
export const SPAN_NAME = 'span.name';

/** What the span of a request says of itself, before the policy edits it. */
export function serverAttributes(entry: Entry): readonly Attribute[] {
  const { scheme, version } = entry.arrived;
  return [
    ...logFields(entry).filter(([name]) => name !== 'error'),
    ['url.scheme', scheme],
    ['network.protocol.version', version === 'HTTP/2.0' ? '2' : version.replace('HTTP/', '')],
    ...costAttributes(entry),
  ];
}

/** What a call cost, by what it was paid for; the total is a log key. */
function costAttributes({ llm }: Entry): readonly Attribute[] {
  const parts = Object.entries(llm['cost'] ?? {});
  return parts.flatMap(([part, value]) => {
    const dollars = numberOf(value);
    return part === 'total' || dollars === undefined
      ? []
      : [[`proxy.ai.usage.cost.${inWords(part)}`, dollars] as const];
  });
}

function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Few enough to group by: never the path itself, and no method that a client made up. */
export function serverName({ arrived, rule, mcp }: Entry): string {
  const { method } = mcp;
  if (method !== undefined && MCP_METHODS.has(method)) return method;
  if (rule === undefined) return arrived.method;
  const { matchedPrefix, route } = rule;
  const where =
    matchedPrefix === undefined
      ? `${route.namespace}/${route.name}`
      : `${matchedPrefix === '/' ? '' : matchedPrefix}/*`;
  return `${arrived.method} ${where}`;
}

/** What the span of a call says; no credential stands in its path. */
export function clientAttributes(
  { kind, subtype, target, request, status, error }: CallNote,
  places: CredentialPlaces,
): readonly Attribute[] {
  const asked: readonly Attribute[] =
    request === undefined
      ? []
      : [
          ['http.method', request.method],
          ['http.host', request.authority],
          ['http.path', withoutShownParameters(request.target, places)],
        ];
  return [
    ['proxy.outbound.kind', kind],
    ['proxy.outbound.subtype', subtype],
    ['server.address', target],
    ...asked,
    ...(status === null ? [] : [['http.status', status] as const]),
    ...(error === null ? [] : [['error.type', 'upstream'] as const]),
  ];
}

/** Its name. */
export function clientName({ kind, subtype, request }: CallNote): string {
  return kind === 'Primary' ? (request?.method ?? subtype) : subtype;
}
