import { z } from 'zod';
import { exactlyOne } from '../../groups.ts';
import { described, noted, type Validation } from '../../notes.ts';
import { backendWithAi } from '../../proxy-policy/backend.ts';
import { listOf, sectionName } from '../../scalars.ts';
import { llmProvider, llmProviderShape, providerRules } from './llm-provider.ts';

/** A provider of a group. `name` is unique over all groups; policies may target it (ADMIT-015, ADMIT-016). */
const namedLlmProvider = providerRules(
  noted(
    described(
      z.strictObject({ ...llmProviderShape, name: sectionName, policies: backendWithAi.exactOptional() }),
      { name: 'Name, unique over all groups; policies may target it.', policies: 'Settings for this provider alone.' },
      'A provider of a group.',
    ),
    {
      requires: 'ADMIT-016',
    },
  ),
);

/** Equal in priority, weighted by health; 1 to 16 (ADMIT-014). */
const priorityGroup = noted(
  described(
    z.strictObject({ providers: noted(listOf(namedLlmProvider, 1, 16), { clause: 'ADMIT-014' }) }),
    { providers: '1 to 16 providers, chosen by health.' },
    'Providers of equal priority.',
  ),
  { requires: 'ADMIT-014' },
);

/** Admission says which name it is; it must be unique within its group, and in no other. */
const UNIQUE_NAMES: Validation = {
  rule: `self.all(group, group.providers.all(one, group.providers.exists_one(two, two.name == one.name) &&
    self.exists_one(other, other.providers.exists(two, two.name == one.name))))`,
  message: 'names of providers must be unique over all groups',
};

/** One provider, or 1 to 8 groups in priority order (ADMIT-012, ADMIT-013). */
export const aiBackend = noted(
  exactlyOne(
    described(
      z.strictObject({
        provider: llmProvider.exactOptional(),
        groups: noted(listOf(priorityGroup, 1, 8), {
          clause: 'ADMIT-013',
          validations: [UNIQUE_NAMES],
        }).exactOptional(),
      }),
      { provider: 'The only provider.', groups: '1 to 8 groups, the first in priority first.' },
    ),
    'ADMIT-012',
    'provider',
    'groups',
  ),
  { text: 'LLM providers, alone or in groups by priority.' },
);

export type AIBackend = z.infer<typeof aiBackend>;
export type NamedLLMProvider = z.infer<typeof namedLlmProvider>;
