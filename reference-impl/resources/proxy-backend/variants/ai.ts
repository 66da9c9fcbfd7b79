import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { backendWithAi } from '../../proxy-policy/backend.ts';
import { listOf, sectionName } from '../../scalars.ts';
import { llmProvider, llmProviderShape, providerRules } from './llm-provider.ts';

const namedLlmProvider = providerRules(
  z.strictObject({ ...llmProviderShape, name: sectionName, policies: backendWithAi.exactOptional() }),
);

/** Equal in priority, weighted by health. */
const priorityGroup = z.strictObject({ providers: listOf(namedLlmProvider, 1, 16) });

/** One provider, or groups in priority order. */
export const aiBackend = exactlyOne(
  z.strictObject({ provider: llmProvider.exactOptional(), groups: listOf(priorityGroup, 1, 8).exactOptional() }),
  'ADMIT-012',
  'provider',
  'groups',
);

export type AIBackend = z.infer<typeof aiBackend>;
export type NamedLLMProvider = z.infer<typeof namedLlmProvider>;
