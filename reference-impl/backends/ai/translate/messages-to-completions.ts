import { messages } from '../formats/messages.ts';
import { stopAtErrors } from './stop-at-errors.ts';
import { messagesReply } from './messages-to-completions/reply.ts';
import { completionsRequest } from './messages-to-completions/request.ts';
import { messagesEvents } from './messages-to-completions/stream.ts';
import type { Translation } from './translation.ts';
import { translatedError } from './upstream-error.ts';

/** A client that speaks messages in front of a provider that speaks chat completions (PROV-035, ROUTES-007). */
export const messagesToCompletions: Translation = {
  from: 'messages',
  to: 'completions',
  request: completionsRequest,
  reply: messagesReply,
  error: (status, error) => translatedError(messages, status, error),
  stream: (stamp) => stopAtErrors(messages, messagesEvents(stamp)),
};
