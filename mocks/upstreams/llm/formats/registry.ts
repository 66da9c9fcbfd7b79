import type { FormatName } from '../script.ts';
import { completions } from './completions/completions.ts';
import { embeddings } from './embeddings.ts';
import type { LlmFormat } from './format.ts';
import { messages } from './messages/messages.ts';
import { responses } from './responses/responses.ts';

/** Every format a provider can speak. */
export const llmFormats: Readonly<Record<FormatName, LlmFormat>> = {
  Completions: completions,
  Messages: messages,
  Responses: responses,
  Embeddings: embeddings,
};
