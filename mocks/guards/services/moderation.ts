import { z } from 'zod';
import { onlyValueOf } from '../../values-by-name.ts';
import { bearerProblem, type GuardService } from '../service.ts';

const part = z.strictObject({ type: z.literal('text'), text: z.string() });
const body = z.strictObject({
  input: z.union([z.string(), z.array(z.string()).min(1), z.array(part).min(1)]),
  model: z.string().optional(),
});

/** A hosted moderation API: one result per input. */
export const moderation: GuardService = {
  phaseAt: (path) => (path === '/v1/moderations' ? 'request' : undefined),
  credentialProblem: async (request, { key }) => bearerProblem(onlyValueOf('authorization', request.headers), key),
  body: () => body,
  question: (asked) => {
    const { input } = body.parse(asked);
    // Parts are one input together.
    const texts =
      typeof input === 'string'
        ? [input]
        : input.every((one) => typeof one === 'string')
          ? input
          : [input.map((one) => (typeof one === 'string' ? one : one.text)).join('\n')];
    return { phase: 'request', texts, roles: texts.map(() => 'user') };
  },
  verdict: ({ kind }, { texts }) => ({
    id: 'modr-1',
    model: 'omni-moderation-latest',
    // One bad input among good ones is enough for everybody who looks at all of them.
    results: texts.map((_, index) => {
      const flagged = kind === 'reject' && index === texts.length - 1;
      return { flagged, categories: { violence: flagged }, category_scores: { violence: flagged ? 0.99 : 0.01 } };
    }),
  }),
};
