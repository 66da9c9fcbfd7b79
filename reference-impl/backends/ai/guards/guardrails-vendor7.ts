import type { PolicyRef } from '../../../attachment/policies/effective-policy.ts';
import type { PromptguardRequest } from '../../../resources/proxy-policy/fields/ai/prompt-guard.ts';
import { asList, asObjects, asString, type Json } from '../../json.ts';
import { anyMember } from './any-member.ts';
import { GuardFailure, PASS, REJECT, type Guard, type Phase, type Question, type Verdict } from './guard.ts';
import { hosted } from './hosted.ts';

type GuardrailsVendor7 = NonNullable<PromptguardRequest['guardrailsVendor7']>;

/** The words the guardrail has for what it is shown. */
const SOURCES: Readonly<Record<Phase, string>> = { request: 'INPUT', response: 'OUTPUT' };

/** GUARD-028, GUARD-029: a guardrail of cloud A; where it intervenes it masks, or everything is rejected. */
export function guardrailsVendor7(field: GuardrailsVendor7, origin: PolicyRef): Omit<Guard, 'response'> {
  const { identifier, version, region, policies = {} } = field;
  const guard = hosted(
    `bedrock-runtime.${region}.amazonaws.com`,
    { ...policies, auth: signedAuth(policies.auth, region) },
    origin,
  );
  const target = `/guardrail/${encodeURIComponent(identifier)}/version/${encodeURIComponent(version)}/apply`;
  return {
    failOpen: 'streams',
    check: async (question) => {
      const content = question.texts.map(({ text }) => ({ text: { text } }));
      return verdict(await guard.ask(question, target, { source: SOURCES[question.phase], content }), question);
    },
  };
}

type Auth = NonNullable<NonNullable<GuardrailsVendor7['policies']>['auth']>;

/** GUARD-038: without a word about credentials they are looked for; the signature is for the region of the guardrail. */
function signedAuth(auth: Auth | undefined, region: string): Auth {
  if (auth !== undefined && auth.cloudA === undefined) return auth;
  return { ...auth, cloudA: { region, ...auth?.cloudA } };
}

function verdict(reply: Json, { texts }: Question): Verdict {
  const { action, assessments } = reply;
  if (action === 'NONE') return PASS;
  if (action !== 'GUARDRAIL_INTERVENED') throw new GuardFailure('the guardrail has no verdict');
  const says = (word: string): boolean =>
    anyMember(assessments, (member, value) => member === 'action' && value === word);
  const outputs = asObjects(asList(reply['outputs'])).map(({ text }) => asString(text) ?? '');
  if (says('BLOCKED') || !says('ANONYMIZED') || outputs.length !== texts.length) return REJECT;
  return { kind: 'mask', texts: texts.map(({ role }, index) => ({ role, text: outputs[index] ?? '' })) };
}
