import { completions } from '../formats/completions.ts';
import { completionReply } from './completions-to-messages/reply.ts';
import { messagesRequest } from './completions-to-messages/request.ts';
import { completionChunks } from './completions-to-messages/stream.ts';
import { stopAtErrors } from './stop-at-errors.ts';
import type { Translation } from './translation.ts';
import { translatedError } from './upstream-error.ts';

/** A client that speaks chat completions in front of a provider that speaks messages (PROV-041, ROUTES-006). */
export const completionsToMessages: Translation = {
  from: 'completions',
  to: 'messages',
  request: messagesRequest,
  reply: completionReply,
  error: (status, error) => translatedError(completions, status, error),
  stream: (stamp) => stopAtErrors(completions, completionChunks(stamp)),
};
