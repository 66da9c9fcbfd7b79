import type { Targeted } from '../../exchange/exchange.ts';
import type { Services } from '../../credentials/services.ts';
import type { Destination } from './providers/destination.ts';
import type { Format, Json } from './formats/format.ts';
import type { PromptGuards } from './guards/guards.ts';
import type { PolicyBlock } from './policy/policy-block.ts';
import type { LlmRequest } from './read-request.ts';

/** A request on its way to a provider, and everything that decides how it gets there. */
export interface AiRequest {
  readonly exchange: Targeted;
  readonly destination: Destination;
  readonly block: PolicyBlock;
  readonly services: Services;
}

/** What the client asks for, after everything that the policies say about it. */
export interface Understood {
  readonly client: Format;
  readonly model: string;
  readonly request: Json;
  /** Whether the client reads how many tokens its stream took; false where only the proxy wants to know. */
  readonly tellsTokens: boolean;
  readonly read: LlmRequest;
  readonly guards: PromptGuards;
}
