import type { PolicyRef } from '../../../attachment/policies/effective-policy.ts';
import type { PromptguardRequest } from '../../../resources/proxy-policy/fields/ai/prompt-guard.ts';
import { asObject } from '../../json.ts';
import { anyMember } from './any-member.ts';
import { GuardFailure, PASS, REJECT, type Guard, type Phase } from './guard.ts';
import { hosted } from './hosted.ts';

type ModelGuardCloudC = NonNullable<PromptguardRequest['modelGuardCloudC']>;

/** GUARD-032 */
const LOCATION = 'us-central1';

/** What the template is asked to do, and the member its text goes in. */
const METHODS = {
  request: { method: 'sanitizeUserPrompt', member: 'user_prompt_data' },
  response: { method: 'sanitizeModelResponse', member: 'model_response_data' },
} as const satisfies Readonly<Record<Phase, object>>;

/** GUARD-030, GUARD-031: a template of the model guard of cloud C; what any of its filters finds is rejected. */
export function modelGuardCloudC(field: ModelGuardCloudC, origin: PolicyRef): Omit<Guard, 'response'> {
  const { templateId, projectId, location = LOCATION, policies = {} } = field;
  // GUARD-039: without a word about credentials they are looked for.
  const guard = hosted(`modelarmor.${location}.rep.googleapis.com`, { auth: { cloudC: {} }, ...policies }, origin);
  const template = ['projects', projectId, 'locations', location, 'templates', templateId].map(encodeURIComponent);
  return {
    failOpen: 'streams',
    check: async (question) => {
      const { method, member } = METHODS[question.phase];
      const text = question.texts.map((one) => one.text).join('\n');
      const reply = await guard.ask(question, `/v1/${template.join('/')}:${method}`, { [member]: { text } });
      const result = asObject(reply['sanitizationResult']);
      if (result === undefined) throw new GuardFailure('the model guard has no result');
      const found = anyMember(
        result['filterResults'],
        (name, value) => name === 'matchState' && value === 'MATCH_FOUND',
      );
      return found ? REJECT : PASS;
    },
  };
}
