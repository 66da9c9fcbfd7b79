import type { RouteType } from '../../../resources/proxy-policy/fields/ai/backend-ai.ts';
import type { Format, FormatName, UpstreamFormat, UpstreamFormatName } from './format.ts';
import { serverSentEvents } from '../streams/sse.ts';
import type { StreamForm } from '../streams/stream-form.ts';
import { agentRerank } from './agent-rerank.ts';
import { completions } from './completions.ts';
import { converse } from './converse.ts';
import { countTokens } from './count-tokens.ts';
import { embeddings } from './embeddings.ts';
import { generateContent } from './generate-content.ts';
import { invoke } from './invoke.ts';
import { messages } from './messages.ts';
import { predict } from './predict.ts';
import { rank } from './rank.ts';
import { rerank } from './rerank.ts';
import { responses } from './responses.ts';
import { tokenCount } from './token-count.ts';

export const FORMATS: Readonly<Record<FormatName, Format>> = {
  completions,
  messages,
  responses,
  embeddings,
  rerank,
  'token-count': tokenCount,
};

/** ROUTES-006, ROUTES-007, ROUTES-012 to ROUTES-014, ROUTES-016: the formats, as routes and providers of one's own call them. */
export const SPOKEN = {
  Completions: completions,
  Messages: messages,
  Responses: responses,
  Embeddings: embeddings,
  Rerank: rerank,
  Vendor4TokenCount: tokenCount,
} as const satisfies Readonly<Partial<Record<RouteType, Format>>>;

/** Whether requests of that type are understood as a format; the others are not read, or in another way. */
export function isSpoken(type: RouteType): type is keyof typeof SPOKEN {
  return Object.hasOwn(SPOKEN, type);
}

export const UPSTREAM_FORMATS: Readonly<Record<UpstreamFormatName, UpstreamFormat>> = {
  ...FORMATS,
  'generate-content': generateContent,
  predict,
  rank,
  converse,
  invoke,
  'count-tokens': countTokens,
  'agent-rerank': agentRerank,
};

/** Every form that a stream of some provider comes in. */
export const STREAM_FORMS: readonly StreamForm[] = [
  serverSentEvents,
  ...Object.values(UPSTREAM_FORMATS).flatMap(({ streams }) => streams ?? []),
];
