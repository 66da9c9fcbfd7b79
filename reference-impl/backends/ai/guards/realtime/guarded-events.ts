import { ProxyError } from '../../../../base/proxy-error.ts';
import { FORMATS } from '../../formats/registry.ts';
import { asObjects, isJson, parseObject, type Json } from '../../../json.ts';
import { repeatedMember } from '../../repeated-member.ts';
import { textEvent, type StreamEvent } from '../../streams/stream-event.ts';
import { editEventTexts } from '../event-texts.ts';
import type { Context } from '../guard.ts';
import { eventGuards, StreamBlocked, type EventGuards } from '../event-guards.ts';
import type { PromptGuards } from '../guards.ts';
import { guardRequest } from '../run-guards.ts';

/** What an event becomes: the texts for the other side, and those for the side it came from. */
export interface Judged {
  readonly on: readonly string[];
  readonly back: readonly string[];
}

/** The events of both directions, as the guards let them pass (GUARD-003). docs/decisions/prompt-guard.md */
export interface GuardedEvents {
  readonly ofClient: (text: string) => Promise<Judged>;
  readonly ofProvider: (text: string) => Promise<Judged>;
}

/** Items and texts of a realtime connection look like those of responses. */
const FORMAT = FORMATS.responses;

export function guardedEvents({ request, response }: PromptGuards, context: Context): GuardedEvents {
  let stages: EventGuards = eventGuards(response, FORMAT, context);
  let blocked = false;

  const judged = async (event: StreamEvent, last: boolean): Promise<Judged> => {
    try {
      return { on: dataOf(await stages([event], last)), back: [] };
    } catch (error) {
      if (!(error instanceof StreamBlocked)) throw error;
      blocked = true;
      // Whoever waits for the end of the response hears of it all the same.
      const ended = last && event.json !== undefined ? withoutText(event.json, last) : [];
      return { on: [refusal(error.message), ...ended], back: [CANCEL] };
    }
  };

  return {
    ofClient: (text) => guardClientEvent(text, request, context),
    ofProvider: async (text) => {
      const event = textEvent(text);
      const { json } = event;
      const last = json?.['type'] === 'response.done';
      const result =
        blocked && json !== undefined ? { on: withoutText(json, last), back: [] } : await judged(event, last);
      // The next response is judged by itself.
      if (last) {
        stages = eventGuards(response, FORMAT, context);
        blocked = false;
      }
      return result;
    },
  };
}

const CANCEL = JSON.stringify({ type: 'response.cancel' });

function refusal(message: string): string {
  const error = { type: 'guardrail_blocked', code: 'guardrail_intervention', message };
  return JSON.stringify({ type: 'error', error });
}

/** An event of the client that is rejected (an item of the conversation, instructions, tools) is not passed on; whoever sent it is told. */
async function guardClientEvent(text: string, guards: PromptGuards['request'], context: Context): Promise<Judged> {
  const event = parseObject(text);
  if (event === undefined) return { on: [text], back: [] };
  const { item, ...rest } = event;
  // An item alone is a request with one item, so that a webhook may write it anew.
  const isItem = event['type'] === 'conversation.item.create' && isJson(item);
  const asked = isItem ? { ...rest, input: [item] } : event;
  try {
    const guarded = await guardRequest(guards, FORMAT, { ...context, llmRequest: asked });
    if ('answer' in guarded) return { on: [], back: [refusal(await textOf(guarded.answer.body))] };
    // What was judged is what is sent.
    if (guarded.json === asked && repeatedMember(text) === undefined) return { on: [text], back: [] };
    const { input, ...others } = guarded.json;
    const [told = item] = asObjects(input);
    return { on: [JSON.stringify(isItem ? { ...others, item: told } : guarded.json)], back: [] };
  } catch (error) {
    if (error instanceof ProxyError && error.code === 'promptGuardFailed') {
      return { on: [], back: [refusal('content blocked by guardrail policy')] };
    }
    throw error;
  }
}

async function textOf(body: { readonly read: () => Promise<Uint8Array | undefined> } | undefined): Promise<string> {
  return new TextDecoder().decode(await body?.read());
}

/** Of a response that is blocked nothing more is told but that it ended. */
function withoutText(event: Json, last: boolean): readonly string[] {
  let said = false;
  const silent = editEventTexts(FORMAT, event, (text) => {
    said ||= text !== '';
    return '';
  });
  return said && !last ? [] : [JSON.stringify(silent)];
}

function dataOf(events: readonly StreamEvent[]): readonly string[] {
  return events.map(({ data = '' }) => data);
}
