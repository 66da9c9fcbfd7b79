import type { Json } from '../../json.ts';
import { completionsToConverse } from './completions-to-converse.ts';
import { responsesToCompletions } from './responses-to-completions.ts';
import { thinkingFor } from './thinking.ts';
import type { Stamp, Translation } from './translation.ts';

/** A client that speaks responses in front of the models of cloud A (ROUTES-012): by way of chat completions. */
export const responsesToConverse: Translation = {
  from: 'responses',
  to: 'converse',
  request: (request) => completionsToConverse.request(asCompletions(request)),
  reply: (reply, stamp) => responsesToCompletions.reply(completionsToConverse.reply(reply, halfway(stamp)), stamp),
  error: (status, error) => responsesToCompletions.error(status, completionsToConverse.error(status, error)),
  stream: (stamp) => {
    const first = completionsToConverse.stream(halfway(stamp));
    const second = responsesToCompletions.stream(stamp);
    return {
      event: (event) => first.event(event).flatMap(second.event),
      end: () => [...first.end().flatMap(second.event), ...second.end()],
    };
  },
};

/** What these clients expect when they name no limit; the models of the provider would stop much earlier. */
const DEFAULT_MAX_TOKENS = 4096;

function asCompletions(request: Json): Json {
  const asked = responsesToCompletions.request(request);
  return { max_completion_tokens: thinkingFor(asked)?.maxTokens ?? DEFAULT_MAX_TOKENS, ...asked };
}

function halfway(stamp: Stamp): Stamp {
  return { ...stamp, ...(stamp.request && { request: asCompletions(stamp.request) }) };
}
