import { completions } from '../formats/completions.ts';
import { asObject, type Json } from '../../json.ts';
import { completionReply } from './completions-to-generate-content/reply.ts';
import { generateContentRequest } from './completions-to-generate-content/request.ts';
import { completionChunks } from './completions-to-generate-content/stream.ts';
import { stopAtErrors } from './stop-at-errors.ts';
import type { Translation } from './translation.ts';
import { translatedError } from './upstream-error.ts';

/** A client that speaks chat completions in front of provider 5, or its models on the platform of cloud C (ROUTES-006). */
export const completionsToGenerateContent: Translation = {
  from: 'completions',
  to: 'generate-content',
  request: generateContentRequest,
  reply: completionReply,
  error: completionError,
  stream: (stamp) => stopAtErrors(completions, completionChunks(stamp)),
};

/** The provider's own word for the error is kept as its code. */
function completionError(status: number, body: Json): Json {
  const error = translatedError(completions, status, body);
  return { error: { ...asObject(error['error']), code: asObject(body['error'])?.['status'] ?? null } };
}
