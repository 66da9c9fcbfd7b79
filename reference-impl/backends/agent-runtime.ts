import { cloudASigner } from '../credentials/cloud-a/cloud-a-signer.ts';
import type { Services } from '../credentials/services.ts';
import type { Targeted } from '../exchange/exchange.ts';
import { requestVariables, splitTarget } from '../exchange/request-state.ts';

/**
 * CLOUDA-001, CLOUDA-002: the request as an agent runtime of cloud A takes it: its ARN is one segment of the path, and it has one place
 * where it is called. Signed with the keys that discovery finds, unless a policy says how the proxy identifies itself.
 * docs/decisions/cloud-credentials.md
 */
export function toAgentRuntime(exchange: Targeted, services: Services): Targeted {
  const { backend, request, handover } = exchange;
  const { runtime, policies } = backend;
  if (runtime === undefined) return exchange;
  const { query } = splitTarget(request.target);
  const qualifier = runtime.qualifier === undefined ? '' : `qualifier=${encodeURIComponent(runtime.qualifier)}`;
  const asked = [qualifier, query].filter((piece) => piece !== '').join('&');
  const path = `/runtimes/${encodeURIComponent(runtime.arn)}/invocations`;
  const named = { ...exchange, request: { ...request, target: asked === '' ? path : `${path}?${asked}` } };
  if (handover.sign !== undefined || policies.auth !== undefined) return named;
  return { ...named, handover: { ...handover, sign: SIGNER.signFor(requestVariables(exchange), services) } };
}

/** No resource says how to sign, so nothing in it is relative to a namespace. */
const SIGNER = cloudASigner({}, { kind: 'ProxyBackend', namespace: '', name: '' });
