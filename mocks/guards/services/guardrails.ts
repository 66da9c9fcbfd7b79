import { z } from 'zod';
import { onlyValueOf } from '../../values-by-name.ts';
import { bearerProblem, type GuardService } from '../service.ts';

const text = z.strictObject({
  text: z.string().min(1),
  qualifiers: z.array(z.enum(['grounding_source', 'query', 'guard_content'])).optional(),
});
const body = z.strictObject({
  source: z.enum(['INPUT', 'OUTPUT']),
  content: z.array(z.strictObject({ text })).min(1),
  outputScope: z.enum(['INTERVENTIONS', 'FULL']).optional(),
});

/** Guardrails of cloud A. */
export const guardrails: GuardService = {
  phaseAt: (path) => (/^\/guardrail\/[^/]+\/version\/[^/]+\/apply$/.test(path) ? 'either' : undefined),
  credentialProblem: async (request, { key, signed }) => {
    if (signed === undefined) return bearerProblem(onlyValueOf('authorization', request.headers), key);
    // The library of the cloud takes a while to load.
    const { signatureProblem } = await import('../../cloud-a-signature.ts');
    return signatureProblem(request, { ...signed, service: 'bedrock' });
  },
  body: () => body,
  question: (asked) => {
    const { source, content } = body.parse(asked);
    const texts = content.map((block) => block.text.text);
    return { phase: source === 'INPUT' ? 'request' : 'response', texts, roles: texts.map(() => 'user') };
  },
  verdict: (verdict) => {
    if (verdict.kind === 'pass') return { action: 'NONE', outputs: [], assessments: [{}] };
    const texts = verdict.kind === 'mask' ? verdict.texts : ['Sorry, the guardrail does not like that.'];
    return {
      action: 'GUARDRAIL_INTERVENED',
      outputs: texts.map((one) => ({ text: one })),
      assessments: [verdict.kind === 'mask' ? ANONYMIZED : BLOCKED],
    };
  },
};

const ANONYMIZED = {
  sensitiveInformationPolicy: { piiEntities: [{ type: 'NAME', match: 'scripted', action: 'ANONYMIZED' }] },
};
const BLOCKED = { topicPolicy: { topics: [{ name: 'scripted', type: 'DENY', action: 'BLOCKED' }] } };
