import { translationProblems } from '../../admission/translation.ts';
import { pathText } from '../../admission/violation.ts';
import { KINDS } from '../../resources/kinds.ts';
import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import { conditionOf, type ResourceStatus, statusEntry } from '../conditions.ts';
import { agentRuntime } from '../backends/agent-runtime.ts';
import { addressOf, UNSUPPORTED_BACKEND } from '../backends/resolve-backend.ts';

/** One condition, Accepted: whether the backend can be used. */
export function backendStatus(backend: ProxyBackend): ResourceStatus {
  const { holds, fails } = conditionOf(backend);
  const problems = problemsOf(backend);
  const accepted =
    problems.length > 0
      ? fails('Accepted', 'TranslationError', `failed to translate backend: ${problems.join('; ')}`)
      : holds('Accepted', 'Accepted', 'Backend successfully accepted');
  return statusEntry(backend, { conditions: [accepted] });
}

function problemsOf(backend: ProxyBackend): readonly string[] {
  const { ai, mcp, dynamicForwardProxy, cloudA } = backend.spec;
  const arn = cloudA?.agentCore?.agentRuntimeArn;
  // CLOUDA-001
  if (arn !== undefined) return agentRuntime(arn, undefined) === undefined ? [`${arn} names no agent runtime`] : [];
  if (addressOf(backend) === undefined && (ai ?? mcp ?? dynamicForwardProxy) === undefined)
    return [UNSUPPORTED_BACKEND];
  // ADMIT-141
  return translationProblems(KINDS.ProxyBackend.schema, backend).map(
    ({ path, message }) => `${pathText(path)}: ${message}`,
  );
}
