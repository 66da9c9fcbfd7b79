import type { Answer, Targeted } from '../../../exchange/exchange.ts';
import type { Format, Json, UpstreamFormat } from '../formats/format.ts';
import type { Context } from '../guards/guard.ts';
import type { PromptGuards } from '../guards/guards.ts';
import type { LlmCall } from './llm-call.ts';
import { newStamp, type Stamp, type Translation } from '../translate/translation.ts';

/** What is needed to understand a reply, and to tell it to the client. */
export interface Expected {
  readonly exchange: Targeted;
  readonly call: LlmCall;
  readonly client: Format;
  /** The request in the client's format. */
  readonly request: Json;
  readonly upstream: UpstreamFormat;
  /** Undefined when both sides speak the same format: then every byte stays as it is. */
  readonly translation: Translation | undefined;
  readonly guarding: Guarding;
  /** Whether the client reads how many tokens its stream took. */
  readonly tellsTokens: boolean;
}

/** The guards of the answer, and what they need of the request. */
interface Guarding {
  readonly guards: PromptGuards;
  readonly context: Context;
}

/** What a translated reply needs besides the provider's. */
export function stampOf({ headers }: Answer, { exchange, request }: Expected): Stamp {
  return { ...newStamp(exchange.clock), request, header: (name) => headers.get(name) };
}
