import type { EffectiveBackend, PolicyRef } from '../../../attachment/policies/effective-policy.ts';
import { perObject } from '../../../base/per-object.ts';
import type {
  AIPromptGuard,
  PromptguardRequest,
  PromptguardResponse,
} from '../../../resources/proxy-policy/fields/ai/prompt-guard.ts';
import type { Guard, Phase, Question, Verdict } from './guard.ts';
import { guardrailsVendor7 } from './guardrails-vendor7.ts';
import { modelGuardCloudC } from './model-guard-cloud-c.ts';
import { moderation1 } from './moderation1.ts';
import { regex } from './regex.ts';
import { webhook } from './webhook.ts';

/** The policy field `ai.promptGuard`, ready for requests. */
export interface PromptGuards {
  readonly request: readonly Guard[];
  readonly response: readonly Guard[];
  /** GUARD-001, GUARD-002: whether answers that come in pieces are guarded too. */
  readonly streaming: boolean;
}

/** Compiled once per effective policy of a backend; without the field nothing is guarded. */
export const promptGuards = perObject(({ ai, sources }: EffectiveBackend): PromptGuards => {
  const [origin = NOBODY] = sources['ai'] ?? [];
  return compile(ai?.promptGuard ?? {}, origin);
});

const NOBODY: PolicyRef = { kind: 'ProxyPolicy', namespace: '', name: '', level: 'gateway' };

/** GUARD-036, GUARD-037: the two lists know nothing of each other. */
function compile({ streaming, request = [], response = [] }: AIPromptGuard, origin: PolicyRef): PromptGuards {
  return {
    request: request.map((field) => compileGuard(field, 'request', origin)),
    response: response.map((field) => compileGuard(field, 'response', origin)),
    streaming: streaming === 'Enabled',
  };
}

function compileGuard(field: PromptguardRequest | PromptguardResponse, phase: Phase, origin: PolicyRef): Guard {
  const made = mechanism(field, phase, origin);
  return { ...made, check: (question) => noteVerdict(question, made.check), response: field.response };
}

/** For the metrics of guards, where there are any. */
async function noteVerdict(question: Question, check: Guard['check']): Promise<Verdict> {
  const { phase, exchange } = question;
  try {
    const verdict = await check(question);
    exchange.record?.checks.push({ phase, action: verdict.kind });
    return verdict;
  } catch (error) {
    exchange.record?.checks.push({ phase, action: 'failed' });
    throw error;
  }
}

function mechanism(
  field: PromptguardRequest & PromptguardResponse,
  phase: Phase,
  origin: PolicyRef,
): Omit<Guard, 'response'> {
  if (field.regex !== undefined) return regex(field.regex, phase);
  if (field.webhook !== undefined) return webhook(field.webhook, origin);
  if (field.moderation1 !== undefined) return moderation1(field.moderation1, origin);
  if (field.guardrailsVendor7 !== undefined) return guardrailsVendor7(field.guardrailsVendor7, origin);
  if (field.modelGuardCloudC !== undefined) return modelGuardCloudC(field.modelGuardCloudC, origin);
  return regex({}, phase);
}
