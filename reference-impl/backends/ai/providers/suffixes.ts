import type { UpstreamFormatName } from '../formats/format.ts';

/** What comes after the base of an API that speaks these formats the usual way. */
export const SUFFIXES: Readonly<Record<UpstreamFormatName, string>> = {
  completions: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
  embeddings: '/embeddings',
  rerank: '/rerank',
  'token-count': '/messages/count_tokens',
  'generate-content': ':generateContent',
  predict: ':predict',
  rank: ':rank',
  converse: '/converse',
  invoke: '/invoke',
  'count-tokens': '/count-tokens',
  'agent-rerank': '/rerank',
};
