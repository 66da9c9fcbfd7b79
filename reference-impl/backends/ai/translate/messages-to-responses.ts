import { messages } from '../formats/messages.ts';
import { stopAtErrors } from './stop-at-errors.ts';
import { messagesReply } from './messages-to-responses/reply.ts';
import { responsesRequest } from './messages-to-responses/request.ts';
import { messagesEvents } from './messages-to-responses/stream.ts';
import type { Translation } from './translation.ts';
import { translatedError } from './upstream-error.ts';

/** A client that speaks messages in front of a provider that speaks only responses (PROV-035, ROUTES-007). */
export const messagesToResponses: Translation = {
  from: 'messages',
  to: 'responses',
  request: responsesRequest,
  reply: messagesReply,
  error: (status, error) => translatedError(messages, status, error),
  stream: (stamp) => stopAtErrors(messages, messagesEvents(stamp)),
};
