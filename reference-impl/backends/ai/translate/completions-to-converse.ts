import { completions } from '../formats/completions.ts';
import { completionReply } from './completions-to-converse/reply.ts';
import { converseRequest } from './completions-to-converse/request.ts';
import { completionChunks } from './completions-to-converse/stream.ts';
import { stopAtErrors } from './stop-at-errors.ts';
import type { Translation } from './translation.ts';
import { translatedError } from './upstream-error.ts';

/** A client that speaks chat completions in front of the models of cloud A (ROUTES-006). */
export const completionsToConverse: Translation = {
  from: 'completions',
  to: 'converse',
  request: converseRequest,
  reply: completionReply,
  error: (status, error) => translatedError(completions, status, error),
  stream: (stamp) => stopAtErrors(completions, completionChunks(stamp)),
};
