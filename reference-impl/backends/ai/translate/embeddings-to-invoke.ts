import { embeddings } from '../formats/embeddings.ts';
import { embeddingsReply } from './embeddings-to-invoke/reply.ts';
import { invokeRequest } from './embeddings-to-invoke/request.ts';
import type { Translation } from './translation.ts';
import { noStream } from './no-stream.ts';
import { translatedError } from './upstream-error.ts';

/** A client that wants embeddings of a model of cloud A (ROUTES-014). */
export const embeddingsToInvoke: Translation = {
  from: 'embeddings',
  to: 'invoke',
  request: invokeRequest,
  reply: embeddingsReply,
  error: (status, error) => translatedError(embeddings, status, error),
  stream: () => noStream(embeddings),
};
