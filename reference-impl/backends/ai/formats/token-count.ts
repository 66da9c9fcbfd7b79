import type { Format } from './format.ts';
import { asNumber } from '../../json.ts';
import { countTokens } from './tokens.ts';
import { messages } from './messages.ts';

/** The token-count API of provider 4: a messages request that is not answered but counted (ROUTES-013). */
export const tokenCount: Format = {
  ...messages,
  name: 'token-count',
  isStream: () => false,
  completion: () => [],
  withCompletion: (reply) => reply,
  toolCalls: () => [],
  // The tokens that were counted are not tokens that were used.
  usage: () => undefined,
  usageOfEvent: () => undefined,
  countedTokens: (reply) => asNumber(reply['input_tokens']),
  ownReply: async (request, model) => ({ input_tokens: await countTokens(messages, request, model) }),
};
