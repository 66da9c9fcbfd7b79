import type { FormatName } from '../format.ts';

/** What comes after the base of an API that speaks these formats the usual way. */
export const SUFFIXES: Readonly<Record<FormatName, string>> = {
  completions: '/chat/completions',
  messages: '/messages',
  responses: '/responses',
  embeddings: '/embeddings',
};
