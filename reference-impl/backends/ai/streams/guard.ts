import type { Format } from '../formats/format.ts';
import type { Context, Guard } from '../guards/guard.ts';
import { eventGuards, StreamBlocked } from '../guards/event-guards.ts';
import { asObject } from '../../json.ts';
import type { Stage } from './stage.ts';
import { jsonEvent, type StreamEvent } from './stream-event.ts';

/** GUARD-002: events in the format of the client, as its guards let them pass, one guard after the other. */
export function guardStage(guards: readonly Guard[], client: Format, context: Context): Stage {
  const through = eventGuards(guards, client, context);
  let blocked = false;

  const judged = async (events: readonly StreamEvent[], last: boolean): Promise<readonly StreamEvent[]> => {
    if (blocked) return [];
    try {
      return await through(events, last);
    } catch (error) {
      if (!(error instanceof StreamBlocked)) throw error;
      blocked = true;
      return [blockedEvent(client, error.message)];
    }
  };
  return {
    changes: true,
    push: (events) => judged(events, false),
    end: () => judged([], true),
    isOver: () => blocked,
  };
}

/** What a rejection tells (docs/decisions/prompt-guard.md), with what makes it an error of the client's own format. */
function blockedEvent(client: Format, message: string): StreamEvent {
  const type = 'guardrail_blocked';
  const { json, name } = client.errorEvent(403, message, type);
  const error = { ...asObject(json?.['error']), type, code: 'guardrail_intervention', message };
  return jsonEvent({ ...json, error }, name);
}
