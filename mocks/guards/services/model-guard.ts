import { z } from 'zod';
import { onlyValueOf } from '../../values-by-name.ts';
import { bearerProblem, type GuardService, type Phase } from '../service.ts';

const data = z.strictObject({ text: z.string().min(1) });
const bodies = {
  request: z.strictObject({ user_prompt_data: data }),
  response: z.strictObject({ model_response_data: data }),
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
    const text =
      phase === 'request'
        ? bodies.request.parse(asked).user_prompt_data.text
        : bodies.response.parse(asked).model_response_data.text;
    return { phase, texts: [text], roles: ['user'] };
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
