import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import { conditionOf, type ResourceStatus, statusEntry } from '../conditions.ts';
import { staticEndpoint, UNSUPPORTED_BACKEND } from '../backends/resolve-backend.ts';

/** One condition, Accepted: whether the backend can be used. */
export function backendStatus(backend: ProxyBackend): ResourceStatus {
  const { holds, fails } = conditionOf(backend);
  const accepted =
    staticEndpoint(backend) === undefined && backend.spec.ai === undefined
      ? fails('Accepted', 'TranslationError', `failed to translate backend: ${UNSUPPORTED_BACKEND}`)
      : holds('Accepted', 'Accepted', 'Backend successfully accepted');
  return statusEntry(backend, { conditions: [accepted] });
}
