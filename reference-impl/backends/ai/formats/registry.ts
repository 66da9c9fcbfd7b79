import type { Format, FormatName, UpstreamFormat, UpstreamFormatName } from '../format.ts';
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
