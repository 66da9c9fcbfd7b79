import { once } from '../../../base/once.ts';
import { duration, type TimeValue } from '../../../cel/values.ts';
import type { Targeted, TokenUsage } from '../../../exchange/exchange.ts';
import { isCaptured } from './captured.ts';
import { costOf, shownRates, type Cost } from './cost/cost.ts';
import { modelPrice, ratesFor } from './cost/rates.ts';
import type { Format, Json, Usage } from '../formats/format.ts';
import { present } from '../../json.ts';
import { mergeUsage } from './merge-usage.ts';
import { streamedReply, type StreamedReply } from './streamed-reply.ts';

/** What the request of a call says. */
export interface LlmQuestion {
  /** As expressions and model catalogs name the provider. */
  readonly provider: string;
  readonly streaming: boolean;
  readonly model: string | undefined;
  /** The request in the format of the client, and that format, where they are known. */
  readonly request: Json;
  readonly format: Format | undefined;
}

/** What a reply, or one event of a stream, says of tokens, of the model that answers, and of the class of service. */
export interface Counts {
  readonly usage?: Partial<Usage> | undefined;
  readonly model?: string | undefined;
  readonly serviceTier?: string | undefined;
}

/** One call to an LLM, as it is followed: the one place that knows its tokens, and what they cost. */
export class LlmCall implements TokenUsage {
  readonly streaming: boolean;
  readonly #question: LlmQuestion;
  readonly #exchange: Targeted;
  readonly #sentAt: number;
  readonly #streamed: StreamedReply | undefined;
  #usage: Usage | undefined;
  #model: string | undefined;
  #serviceTier: string | undefined;
  #counted: number | undefined;
  #reply: { readonly format: Format; readonly body: Json } | undefined;
  #firstAt: number | undefined;
  #endedAt: number | undefined;

  constructor(question: LlmQuestion, exchange: Targeted) {
    const { streaming, format } = question;
    this.#question = question;
    this.streaming = streaming;
    this.#exchange = exchange;
    this.#sentAt = exchange.clock.monotonic();
    this.#streamed = streaming && format !== undefined && isCaptured(exchange) ? streamedReply(format.name) : undefined;
  }

  /** Notes what a reply, or one event of a stream, says. Its counts are running totals. */
  count({ usage, model, serviceTier }: Counts): void {
    if (usage !== undefined) this.#usage = mergeUsage(this.#usage, usage);
    this.#model ??= model;
    this.#serviceTier = serviceTier ?? this.#serviceTier;
  }

  /** Whether a reply, or an event, has said which model answers. */
  get namesModel(): boolean {
    return this.#model !== undefined;
  }

  /** How many tokens the request has, when that was the question. */
  counted(tokens: number): void {
    this.#counted = tokens;
  }

  /** An event of the stream has come from the provider. */
  streamBegan(): void {
    this.#firstAt ??= this.#exchange.clock.monotonic();
  }

  /** What the client is told by events of its format; undefined when nobody asks for that. */
  get said(): ((event: Json) => void) | undefined {
    return this.#streamed?.event;
  }

  /** The whole reply as the client gets it. */
  replied(format: Format, body: Json): void {
    this.#reply = { format, body };
  }

  /** Nothing more will come. */
  finish(): void {
    this.#endedAt ??= this.#exchange.clock.monotonic();
  }

  readonly complete = (): boolean => this.#endedAt !== undefined;

  readonly totalTokens = (): number | undefined => this.#usage?.totalTokens;

  /** What takes time or memory to tell is a getter: most expressions ask for a count. */
  readonly variables = (): Readonly<Record<string, unknown>> => {
    const { provider, streaming, model, request, format } = this.#question;
    const reply = this.#reply;
    const streamed = this.#streamed;
    const price = once(() => this.#price());
    return {
      ...present({
        streaming,
        provider,
        requestModel: model,
        responseModel: this.#model,
        serviceTier: this.#serviceTier,
        ...this.#usage,
        countTokens: this.#counted,
        ...this.#times(),
      }),
      get params() {
        return paramsOf(request);
      },
      get prompt() {
        return format?.prompt(request).map(({ role, text }) => ({ role, content: text }));
      },
      get completion() {
        return reply?.format.completion(reply.body) ?? streamed?.completion();
      },
      get toolCalls() {
        return reply?.format.toolCalls(reply.body) ?? streamed?.toolCalls();
      },
      get cost() {
        return price()?.cost;
      },
      get costRates() {
        return price()?.rates;
      },
    };
  };

  #times(): { readonly timeToFirstToken: TimeValue | undefined; readonly timePerOutputToken: TimeValue | undefined } {
    const first = this.#firstAt;
    if (first === undefined) return { timeToFirstToken: undefined, timePerOutputToken: undefined };
    const output = this.#usage?.outputTokens ?? 0;
    const ended = this.#endedAt;
    return {
      timeToFirstToken: duration(first - this.#sentAt),
      timePerOutputToken: ended === undefined || output === 0 ? undefined : duration((ended - first) / output),
    };
  }

  /** The model that answered is looked for first: an alias need not have a price. */
  #price(): { readonly cost: Cost | undefined; readonly rates: object } | undefined {
    const usage = this.#usage;
    if (usage === undefined) return undefined;
    const { provider, model } = this.#question;
    const price = modelPrice(this.#exchange.listener.modelCatalogs, provider, [this.#model, model]);
    if (price === undefined) return undefined;
    const rates = ratesFor(price, usage.inputTokens);
    return { cost: costOf(usage, rates), rates: shownRates(rates) };
  }
}

/** The exchange in which expressions see the call and rate limits its tokens. */
export function withCall(exchange: Targeted, call: LlmCall): Targeted {
  const { facts, handover } = exchange;
  return { ...exchange, facts: { ...facts, llm: call.variables }, handover: { ...handover, usage: call } };
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
