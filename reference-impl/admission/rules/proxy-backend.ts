import type { ProxyBackend } from '../../resources/proxy-backend/backend.ts';
import type { NamedLLMProvider } from '../../resources/proxy-backend/variants/ai.ts';
import type { Path } from '../violation.ts';
import { each, never, findRepeated, row, type Rule } from './row.ts';

export const proxyBackendRules: readonly Rule<ProxyBackend>[] = [
  // ADMIT-159 says the same within one group.
  row(
    'ADMIT-015',
    (backend) => findRepeated(providersOf(backend), (provider) => provider.name),
    never,
    (provider) => `provider name ${provider.name} is used twice`,
  ),
  row(
    'ADMIT-153',
    (backend) => findRepeated(each(['spec', 'mcp', 'targets'], backend.spec.mcp?.targets), (target) => target.name),
    never,
    (target) => `target name ${target.name} is used twice`,
  ),
];

function providersOf(backend: ProxyBackend): (readonly [Path, NamedLLMProvider])[] {
  return each(['spec', 'ai', 'groups'], backend.spec.ai?.groups).flatMap(([at, group]) =>
    each([...at, 'providers'], group.providers),
  );
}
