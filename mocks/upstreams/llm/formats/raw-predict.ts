import type { Json } from '../../../json.ts';
import type { LlmFormat, Problem } from './format.ts';
import { accessTokenProblem, googleError } from './google-dialect.ts';
import { messages } from './messages/messages.ts';
import { messagesProblem } from './messages/request.ts';
import { problem } from './schema.ts';
import { tokenCountProblem, tokenCountReply } from './token-count.ts';

/** Models of provider 4 on the platform of cloud C: messages whose model stands in the path. */
export const rawPredict: LlmFormat = {
  ...messages,
  name: 'RawPredict',
  path: '/v1/projects/p/locations/global/publishers/anthropic/models/claude-x:rawPredict',
  at: (path) => {
    const [, model, verb] = PLACE.exec(path) ?? [];
    if (model === undefined || model === COUNTER) return undefined;
    return { model: decodeURIComponent(model), streaming: verb === 'streamRawPredict' };
  },
  headerProblem: accessTokenProblem,
  bodyProblem: (request) => {
    const { anthropic_version: version, ...rest } = request;
    if (rest['model'] !== undefined) return problem('model: Extra inputs are not permitted', 'model');
    return wrongVersion(version) ?? messagesProblem({ ...rest, model: 'in-the-path' });
  },
  error: googleError,
};

/** How many tokens a request to such a model has. This one names its model in the body. */
export const rawPredictCount: LlmFormat = {
  name: 'RawPredictCount',
  path: '/v1/projects/p/locations/global/publishers/anthropic/models/count-tokens:rawPredict',
  at: (path) => (PLACE.exec(path)?.[1] === COUNTER ? { model: COUNTER, streaming: false } : undefined),
  headerProblem: accessTokenProblem,
  bodyProblem: ({ anthropic_version: version, ...rest }) => wrongVersion(version) ?? tokenCountProblem(rest),
  error: googleError,
  reply: tokenCountReply,
};

const PLACE =
  /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/([^/:]+):(rawPredict|streamRawPredict)$/;
const COUNTER = 'count-tokens';

function wrongVersion(version: Json[string]): Problem | undefined {
  if (version === 'vertex-2023-10-16') return undefined;
  return problem('anthropic_version: Field required', 'anthropic_version');
}
