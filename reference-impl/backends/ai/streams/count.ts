import type { Format, UpstreamFormat } from '../formats/format.ts';
import type { Counts, LlmCall } from '../call/llm-call.ts';
import { serviceTierOf } from '../call/service-tier.ts';
import { NOTHING, watching, type Stage } from './stage.ts';
import type { StreamEvent } from './stream-event.ts';

/** Notes when the stream begins and what the provider counts; `countsIn` finds it in an event. */
export function countStage(call: LlmCall, countsIn: (event: StreamEvent) => Counts | undefined): Stage {
  return watching((event) => {
    if (event.data === undefined) return;
    call.streamBegan();
    const counts = countsIn(event);
    if (counts !== undefined) call.count(counts);
  });
}

/** Finds it where the format says it. Most events say nothing, and those need not be parsed for it. */
export function countsOf(format: UpstreamFormat, call: LlmCall): (event: StreamEvent) => Counts | undefined {
  return (event) => {
    const { data = '' } = event;
    if (!TELLS_TOKENS.test(data) && (call.namesModel || !data.includes('"model'))) return undefined;
    const { json } = event;
    if (json === undefined) return undefined;
    return { usage: format.usageOfEvent(json), model: format.responseModel(json), serviceTier: serviceTierOf(json) };
  };
}

/**
 * Keeps what the provider counts from a client that did not ask for it, whom a chunk without choices may surprise. Undefined for
 * formats that always tell it. docs/decisions/llm-streams.md
 */
export function hideStage({ withoutTokens }: Format): Stage | undefined {
  if (withoutTokens === undefined) return undefined;
  return {
    changes: true,
    push: (events) => events.map(withoutTokens).filter((event) => event !== undefined),
    end: () => NOTHING,
  };
}

/** What every format says tokens in. Chunks that have none may say null. */
const TELLS_TOKENS = /"usage(?:Metadata)?"\s*:\s*\{/;
