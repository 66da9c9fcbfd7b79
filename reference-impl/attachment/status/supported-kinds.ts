import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import { PROXY_API_GROUP } from '../../resources/envelope.ts';
import { type GatewayListener, isServedProtocol } from '../listeners.ts';

export interface RouteKind {
  readonly group: string;
  readonly kind: string;
}

/** What attaches to a listener that takes requests. The documents know no other kind of route. docs/decisions/routes-and-messages.md */
const ATTACHING: readonly RouteKind[] = [
  { group: GATEWAY_API_GROUP, kind: 'HTTPRoute' },
  { group: PROXY_API_GROUP, kind: 'ProxyModel' },
];

/** The kinds that may attach to a listener, and those among its `allowedRoutes.kinds` that nobody here takes, as the Gateway API reports both. */
export function kindsAt({ spec }: GatewayListener): {
  readonly supported: readonly RouteKind[];
  readonly unknown: readonly RouteKind[];
} {
  if (!isServedProtocol(spec)) return { supported: [], unknown: [] };
  const named = (spec.allowedRoutes?.kinds ?? []).map(({ group = GATEWAY_API_GROUP, kind }) => ({ group, kind }));
  if (named.length === 0) return { supported: ATTACHING, unknown: [] };
  const isNamed = (kind: RouteKind): boolean => named.some((other) => isSame(kind, other));
  return {
    supported: ATTACHING.filter(isNamed),
    unknown: named.filter((kind) => !ATTACHING.some((other) => isSame(kind, other))),
  };
}

function isSame(one: RouteKind, other: RouteKind): boolean {
  return one.group === other.group && one.kind === other.kind;
}
