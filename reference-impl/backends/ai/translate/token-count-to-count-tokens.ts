import { tokenCount } from '../formats/token-count.ts';
import { asNumber } from '../../json.ts';
import { UnreadableReply, type Translation } from './translation.ts';
import { noStream } from './no-stream.ts';
import { translatedError } from './upstream-error.ts';

/** A client that has tokens counted the way of vendor4, in front of the models of cloud A (ROUTES-013). */
export const tokenCountToCountTokens: Translation = {
  from: 'token-count',
  to: 'count-tokens',
  // What is counted is the request the model itself would get; the path names the model.
  request: ({ model: _model, stream: _stream, ...request }) => ({ max_tokens: 1, ...request }),
  reply: ({ inputTokens }) => {
    const counted = asNumber(inputTokens);
    if (counted === undefined) throw new UnreadableReply('the reply has no count');
    return { input_tokens: counted };
  },
  error: (status, error) => translatedError(tokenCount, status, error),
  stream: () => noStream(tokenCount),
};
