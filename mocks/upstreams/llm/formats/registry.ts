import type { FormatName } from '../script.ts';
import { agentRerank } from './agent-rerank.ts';
import { completions } from './completions/completions.ts';
import { converse } from './converse/converse.ts';
import { countTokens } from './count-tokens.ts';
import { embeddings } from './embeddings.ts';
import type { LlmFormat } from './format.ts';
import { generateContent } from './generate-content/generate-content.ts';
import { invoke } from './invoke.ts';
import { messages } from './messages/messages.ts';
import { messagesModelList, modelList } from './model-list.ts';
import { predict } from './predict.ts';
import { rank } from './rank.ts';
import { rawPredict, rawPredictCount } from './raw-predict.ts';
import { rerank } from './rerank.ts';
import { responses } from './responses/responses.ts';
import { tokenCount } from './token-count.ts';

/** Every format a provider can speak. */
export const llmFormats: Readonly<Record<FormatName, LlmFormat>> = {
  Completions: completions,
  Messages: messages,
  Responses: responses,
  Embeddings: embeddings,
  TokenCount: tokenCount,
  Rerank: rerank,
  GenerateContent: generateContent,
  RawPredict: rawPredict,
  RawPredictCount: rawPredictCount,
  Predict: predict,
  Rank: rank,
  Converse: converse,
  Invoke: invoke,
  CountTokens: countTokens,
  AgentRerank: agentRerank,
  ModelList: modelList,
  MessagesModelList: messagesModelList,
};
