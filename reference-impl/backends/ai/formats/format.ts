import type { BackendAI } from '../../../resources/proxy-policy/fields/ai/backend-ai.ts';
import type { Json } from '../../json.ts';
import type { StreamEvent } from '../streams/stream-event.ts';
import type { StreamForm } from '../streams/stream-form.ts';

export type { Json } from '../../json.ts';

/** What clients speak; providers may speak it too. */
export type FormatName = 'completions' | 'messages' | 'responses' | 'embeddings' | 'rerank' | 'token-count';

/** What providers speak. */
export type UpstreamFormatName =
  | FormatName
  | 'generate-content'
  | 'predict'
  | 'rank'
  | 'converse'
  | 'invoke'
  | 'count-tokens'
  | 'agent-rerank';

/** One wire format of LLM providers: what a request and a reply of it say, without knowing any provider. */
export interface Format {
  readonly name: FormatName;
  /** Undefined when it is a request of this format; otherwise what is wrong with it (the client gets 400). */
  readonly requestProblem: (request: Json) => string | undefined;
  readonly isStream: (request: Json) => boolean;
  /** The text the model is given, by role, for guards and expressions. Tool calls and their results are not part of it. */
  readonly prompt: (request: Json) => readonly PromptText[];
  /** The request with the texts of `prompt` replaced one by one. A text that stays the same leaves its parts as they are. */
  readonly withPrompt: (request: Json, texts: readonly string[]) => Json;
  /** PROMPT-001, PROMPT-002: the request with messages before and after its own; unchanged where there are no messages. */
  readonly enrich: (request: Json, prepend: readonly Message[], append: readonly Message[]) => Json;
  /** The request asking for the tokens of its stream, the same where it does; for formats whose streams only tell them when asked. */
  readonly askForTokens?: (request: Json) => Json;
  /** What an event is for a client that did not ask for them; undefined when it says nothing else. */
  readonly withoutTokens?: (event: StreamEvent) => StreamEvent | undefined;
  /** Text of a buffered reply, per choice or block. */
  readonly completion: (reply: Json) => readonly string[];
  /** The reply with the texts of `completion` replaced one by one. */
  readonly withCompletion: (reply: Json, texts: readonly string[]) => Json;
  /** Tool calls of a buffered reply. */
  readonly toolCalls: (reply: Json) => readonly ToolCall[];
  /** Undefined when the reply says nothing about tokens. */
  readonly usage: (reply: Json) => Usage | undefined;
  /** What one event of a stream says about tokens; fold them with `mergeUsage`. */
  readonly usageOfEvent: (data: Json) => Partial<Usage> | undefined;
  readonly responseModel: (replyOrEvent: Json) => string | undefined;
  /** The tokens that were asked about; only formats that ask for them have it. */
  readonly countedTokens?: (reply: Json) => number | undefined;
  /** The reply the proxy can give by itself when the provider does not speak the format. */
  readonly ownReply?: (request: Json, model: string) => Promise<Json>;
  /** The body of an error in this format; without `type` the one that fits the status. */
  readonly error: (status: number, message: string, type?: string) => Json;
  /** The event that tells of an error in the middle of a stream. */
  readonly errorEvent: (status: number, message: string, type?: string) => StreamEvent;
}

/** What must be known of a format to read the replies of a provider that speaks it. */
export interface UpstreamFormat extends Pick<Format, 'usage' | 'usageOfEvent' | 'responseModel'> {
  readonly name: UpstreamFormatName;
  /** CACHE-001: the request with the cache points that the policy wants; for formats that have any. */
  readonly withCachePoints?: (request: Json, model: string, policy: BackendAI['promptCaching']) => Json;
  /** A form of its own that its streams come in; the others come as server-sent events. */
  readonly streams?: StreamForm;
}

export interface PromptText {
  readonly role: string;
  readonly text: string;
  /** Places of the characters that stand between its parts. */
  readonly seams?: readonly number[];
}

/** A message as configuration writes it. */
export interface Message {
  readonly role: string;
  readonly content: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly arguments: string;
}

/** Tokens of one request. */
export interface Usage {
  /** Everything the model read, tokens from and for the cache included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** `inputTokens` and `outputTokens` together. */
  readonly totalTokens: number;
  /** The input as the provider counts it; some leave the cache out. */
  readonly providerInputTokens?: number;
  /** The total as the provider reports it. */
  readonly providerTotalTokens?: number;
  readonly cachedInputTokens?: number;
  readonly cacheCreationInputTokens?: number;
  readonly reasoningTokens?: number;
  readonly inputAudioTokens?: number;
  readonly outputAudioTokens?: number;
  readonly inputImageTokens?: number;
  readonly inputTextTokens?: number;
  readonly outputImageTokens?: number;
  readonly outputTextTokens?: number;
}
