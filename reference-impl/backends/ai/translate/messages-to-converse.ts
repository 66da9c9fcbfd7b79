import { messages } from '../formats/messages.ts';
import { stopAtErrors } from './stop-at-errors.ts';
import { messagesReply } from './messages-to-converse/reply.ts';
import { converseRequest } from './messages-to-converse/request.ts';
import { messagesEvents } from './messages-to-converse/stream.ts';
import type { Translation } from './translation.ts';
import { translatedError } from './upstream-error.ts';

/** A client that speaks messages in front of the models of cloud A (ROUTES-007). */
export const messagesToConverse: Translation = {
  from: 'messages',
  to: 'converse',
  request: converseRequest,
  reply: messagesReply,
  error: (status, error) => translatedError(messages, status, error),
  stream: (stamp) => stopAtErrors(messages, messagesEvents(stamp)),
};
