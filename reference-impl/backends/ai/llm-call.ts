import type { LlmFacts } from '../../exchange/exchange.ts';
import type { Format, Json, Usage } from './format.ts';
import { present } from './json.ts';
import { mergeUsage } from './merge-usage.ts';

/** What the request of a call says. */
export interface LlmQuestion {
  /** As expressions name the provider. */
  readonly provider: string;
  readonly streaming: boolean;
  readonly model: string | undefined;
  /** The request in the format of the client, and that format, where they are known. */
  readonly request: Json;
  readonly format: Format | undefined;
}

/** One call to an LLM, as it is followed: the one place that knows its tokens. */
export class LlmCall implements LlmFacts {
  readonly streaming: boolean;
  readonly #question: LlmQuestion;
  #usage: Usage | undefined;
  #model: string | undefined;
  #reply: { readonly format: Format; readonly body: Json } | undefined;
  #complete = false;

  constructor(question: LlmQuestion) {
    this.#question = question;
    this.streaming = question.streaming;
  }

  /** What a reply, or one event of a stream, says about tokens. Counts are running totals. */
  count(usage: Partial<Usage> | undefined, model: string | undefined): void {
    if (usage !== undefined) this.#usage = mergeUsage(this.#usage, usage);
    this.#model ??= model;
  }

  /** The whole reply as the client gets it. */
  replied(format: Format, body: Json): void {
    this.#reply = { format, body };
  }

  /** Nothing more will come. */
  finish(): void {
    this.#complete = true;
  }

  readonly complete = (): boolean => this.#complete;

  readonly totalTokens = (): number | undefined => this.#usage?.totalTokens;

  readonly variables = (): Readonly<Record<string, unknown>> => {
    const { provider, streaming, model, request, format } = this.#question;
    const reply = this.#reply;
    return present({
      streaming,
      provider,
      requestModel: model,
      responseModel: this.#model,
      ...this.#usage,
      params: paramsOf(request),
      prompt: format?.prompt(request).map(({ role, text }) => ({ role, content: text })),
      completion: reply?.format.completion(reply.body),
      toolCalls: reply?.format.toolCalls(reply.body),
    });
  };
}

const PARAMS = [
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'max_tokens',
  'encoding_format',
  'dimensions',
] as const;

function paramsOf(request: Json): Json {
  return Object.fromEntries(PARAMS.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]])));
}
