import type { FormatName, UpstreamFormatName } from '../formats/format.ts';
import { completionsToConverse } from './completions-to-converse.ts';
import { completionsToGenerateContent } from './completions-to-generate-content.ts';
import { completionsToMessages } from './completions-to-messages.ts';
import { embeddingsToInvoke } from './embeddings-to-invoke.ts';
import { embeddingsToPredict } from './embeddings-to-predict.ts';
import { messagesToCompletions } from './messages-to-completions.ts';
import { messagesToConverse } from './messages-to-converse.ts';
import { messagesToResponses } from './messages-to-responses.ts';
import { rerankToAgentRerank } from './rerank-to-agent-rerank.ts';
import { rerankToRank } from './rerank-to-rank.ts';
import { responsesToCompletions } from './responses-to-completions.ts';
import { responsesToConverse } from './responses-to-converse.ts';
import { tokenCountToCountTokens } from './token-count-to-count-tokens.ts';
import type { Translation } from './translation.ts';

/**
 * What a request is sent as, the best first: its own format, then those it can be translated to.
 * docs/decisions/ai-formats.md
 */
export const PREFERENCE: Readonly<Record<FormatName, readonly UpstreamFormatName[]>> = {
  responses: ['responses', 'completions', 'converse'],
  completions: ['generate-content', 'completions', 'messages', 'converse'],
  messages: ['messages', 'completions', 'responses', 'converse'],
  embeddings: ['embeddings', 'predict', 'invoke'],
  rerank: ['rerank', 'rank', 'agent-rerank'],
  'token-count': ['token-count', 'count-tokens'],
};

const TRANSLATIONS: readonly Translation[] = [
  responsesToCompletions,
  completionsToGenerateContent,
  completionsToMessages,
  messagesToCompletions,
  messagesToResponses,
  responsesToConverse,
  completionsToConverse,
  messagesToConverse,
  embeddingsToInvoke,
  embeddingsToPredict,
  rerankToRank,
  rerankToAgentRerank,
  tokenCountToCountTokens,
];

/**
 * The format in which a request of format `client` goes to a provider that speaks `spoken` (PROV-034, PROV-035);
 * undefined when there is no way (the client gets 400).
 */
export function upstreamFormat(
  client: FormatName,
  spoken: readonly UpstreamFormatName[],
): UpstreamFormatName | undefined {
  return PREFERENCE[client].find((format) => spoken.includes(format));
}

/** The translation between two formats; undefined when they are the same, or when there is none. */
export function translationBetween(client: FormatName, upstream: UpstreamFormatName): Translation | undefined {
  return TRANSLATIONS.find(({ from, to }) => from === client && to === upstream);
}
