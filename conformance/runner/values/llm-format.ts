/** Formats a client of language models speaks in the steps of cases. */
export const LLM_FORMATS = ['Completions', 'Messages', 'Responses', 'Embeddings'] as const;
export type LlmFormat = (typeof LLM_FORMATS)[number];
