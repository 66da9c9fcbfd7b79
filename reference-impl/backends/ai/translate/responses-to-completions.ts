import { responses } from '../formats/responses.ts';
import { stopAtErrors } from './stop-at-errors.ts';
import { responsesReply } from './responses-to-completions/reply.ts';
import { completionsRequest } from './responses-to-completions/request.ts';
import { responsesEvents } from './responses-to-completions/stream.ts';
import type { Translation } from './translation.ts';
import { translatedError } from './upstream-error.ts';

/** A client that speaks responses in front of a provider that speaks chat completions (PROV-035, ROUTES-012). */
export const responsesToCompletions: Translation = {
  from: 'responses',
  to: 'completions',
  request: completionsRequest,
  reply: responsesReply,
  error: (status, error) => translatedError(responses, status, error),
  stream: (stamp) => stopAtErrors(responses, responsesEvents(stamp)),
};
