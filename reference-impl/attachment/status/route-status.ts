import { namespaceOf } from '../../resources/envelope.ts';
import { GATEWAY_API_GROUP } from '../../resources/gateway-api/gateway-api.ts';
import type { HTTPRoute } from '../../resources/gateway-api/http-route.ts';
import type { BackendObjectReference } from '../../resources/references.ts';
import { type Condition, CONTROLLER_NAME, conditionOf, type ResourceStatus, statusEntry } from '../conditions.ts';
import type { Links } from '../links.ts';
import type { Attachable, ParentAttachment } from '../routes/route-attachment.ts';

/** Per parentRef: whether the route hangs on it, and whether everything the route names exists. */
export function routeStatus(route: HTTPRoute, links: Links): ResourceStatus {
  const resolved = resolvedRefs(route, links);
  const parents = links.parentsOf(route).map((attachment) => ({
    parentRef: attachment.parentRef,
    controllerName: CONTROLLER_NAME,
    conditions: [acceptance(route, attachment, 'Route'), resolved],
  }));
  return statusEntry(route, { parents });
}

/** Every backend the rules of a route name: backendRefs and mirrors. */
export function backendRefsOf(route: HTTPRoute): readonly BackendObjectReference[] {
  return (route.spec.rules ?? []).flatMap(({ backendRefs = [], filters = [] }) => [
    ...backendRefs,
    ...[...filters, ...backendRefs.flatMap((ref) => ref.filters ?? [])].flatMap(({ requestMirror }) =>
      requestMirror === undefined ? [] : [requestMirror.backendRef],
    ),
  ]);
}

const MESSAGES: Readonly<Record<Exclude<ParentAttachment['reason'], 'Accepted'>, string>> = {
  NoMatchingParent: 'No listener matched the parent reference',
  NotAllowedByListeners: 'no listener of the parent allows it',
  NoMatchingListenerHostname: 'no hostname of the route overlaps with a listener of the parent',
};

/** What became of one parentRef of a route or a model; `called` is what messages call it. */
export function acceptance(attaching: Attachable, { reason }: ParentAttachment, called: string): Condition {
  const { holds, fails } = conditionOf(attaching);
  return reason === 'Accepted'
    ? holds('Accepted', reason, `Successfully accepted ${called}`)
    : fails('Accepted', reason, MESSAGES[reason]);
}

function resolvedRefs(route: HTTPRoute, { resolve }: Links): Condition {
  const { holds, fails } = conditionOf(route);
  const from = { group: GATEWAY_API_GROUP, kind: route.kind, namespace: namespaceOf(route) };
  const problems = backendRefsOf(route).flatMap((ref) => {
    const resolved = resolve(from, ref);
    return 'unresolved' in resolved ? [resolved] : [];
  });
  const [first] = problems;
  if (first === undefined) return holds('ResolvedRefs', 'ResolvedRefs', 'Successfully resolved all references');
  const message = [...new Set(problems.map((problem) => problem.message))].join('; ');
  return fails('ResolvedRefs', first.reason, message);
}
