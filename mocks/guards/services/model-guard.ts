import { z } from 'zod';
import { onlyValueOf } from '../../values-by-name.ts';
import { bearerProblem, type GuardService, type Phase } from '../service.ts';

const data = z.strictObject({ text: z.string().min(1) });
// The service reads protobuf as JSON: a member is told by its name there or, as its reference has it, in camel case.
const others = {
  multi_language_detection_metadata: z.looseObject({}).optional(),
  multiLanguageDetectionMetadata: z.looseObject({}).optional(),
};
const prompt = { user_prompt: z.string().optional(), userPrompt: z.string().optional() };
const bodies = {
  request: z.union([
    z.strictObject({ user_prompt_data: data, ...others }),
    z.strictObject({ userPromptData: data, ...others }),
  ]),
  response: z.union([
    z.strictObject({ model_response_data: data, ...prompt, ...others }),
    z.strictObject({ modelResponseData: data, ...prompt, ...others }),
  ]),
};

const PATH = /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/templates\/[^/:]+:(sanitizeUserPrompt|sanitizeModelResponse)$/;

/** The model guard of cloud C. */
export const modelGuard: GuardService = {
  phaseAt: (path) => {
    const method = PATH.exec(path)?.[1];
    return method === undefined ? undefined : method === 'sanitizeUserPrompt' ? 'request' : 'response';
  },
  credentialProblem: async (request, { key }) => bearerProblem(onlyValueOf('authorization', request.headers), key),
  body: (phase) => bodies[phase === 'response' ? 'response' : 'request'],
  question: (asked, at) => {
    const phase: Phase = at === 'response' ? 'response' : 'request';
    return { phase, texts: [textOf(asked, phase)], roles: ['user'] };
  },
  verdict: ({ kind }) => {
    const matchState = kind === 'pass' ? 'NO_MATCH_FOUND' : 'MATCH_FOUND';
    const state = { executionState: 'EXECUTION_SUCCESS', matchState };
    return {
      sanitizationResult: {
        filterMatchState: matchState,
        filterResults: {
          csam: { csamFilterFilterResult: { executionState: 'EXECUTION_SUCCESS', matchState: 'NO_MATCH_FOUND' } },
          pi_and_jailbreak: { piAndJailbreakFilterResult: state },
        },
        invocationResult: 'SUCCESS',
      },
    };
  },
};

function textOf(asked: unknown, phase: Phase): string {
  if (phase === 'request') {
    const body = bodies.request.parse(asked);
    return ('userPromptData' in body ? body.userPromptData : body.user_prompt_data).text;
  }
  const body = bodies.response.parse(asked);
  return ('modelResponseData' in body ? body.modelResponseData : body.model_response_data).text;
}
