import type { PolicyRef } from '../../../attachment/policies/effective-policy.ts';
import type { PromptguardRequest } from '../../../resources/proxy-policy/fields/ai/prompt-guard.ts';
import { asObjects } from '../../json.ts';
import { GuardFailure, PASS, REJECT, type Guard } from './guard.ts';
import { hosted } from './hosted.ts';

type Moderation1 = NonNullable<PromptguardRequest['moderation1']>;

const HOST = 'api.openai.com';
const TARGET = '/v1/moderations';
const MODEL = 'omni-moderation-latest';

/** GUARD-027: the hosted moderation API; what it flags is rejected. For prompts only. */
export function moderation1({ model = MODEL, policies = {} }: Moderation1, origin: PolicyRef): Omit<Guard, 'response'> {
  const { ask } = hosted(HOST, policies, origin);
  return {
    failOpen: 'never',
    check: async (question) => {
      const input = question.texts.map(({ text }) => text);
      const { results } = await ask(question, TARGET, { input, model });
      const judged = asObjects(results);
      if (judged.length === 0) throw new GuardFailure('the moderation has no results');
      return judged.some(({ flagged }) => flagged === true) ? REJECT : PASS;
    },
  };
}
