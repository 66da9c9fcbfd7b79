import { Buffer } from 'node:buffer';
import type { Body } from '../../base/body.ts';
import { HeaderMap } from '../../base/headers.ts';
import type { Answer } from '../../exchange/exchange.ts';
import { ArrivingBody } from '../../upstream/arriving-body.ts';
import type { Asked } from './asked.ts';
import { type Message, type Response, writeMessage } from './message.ts';

/** Where messages for a client go. */
export interface EventSink {
  /** Resolves when the client is ready for more, or gone. */
  readonly send: (message: Message, eventId?: string) => Promise<void>;
  /** Writes an event that is no message. */
  readonly sendEvent: (event: EventFields) => Promise<void>;
  /** Runs `task` once when the client wants no more, at once when that is so already. */
  readonly onGone: (task: () => void) => void;
  readonly isGone: () => boolean;
}

export interface EventFields {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  readonly data: string;
  readonly retry?: number | undefined;
}

/** An answer that is an event stream; it ends when `produce` is through. */
export function eventStreamAnswer(
  produce: (sink: EventSink) => Promise<void>,
  fields: readonly (readonly [name: string, value: string])[] = [],
): Answer {
  const headers = HeaderMap.of([['content-type', 'text/event-stream'], ['cache-control', 'no-cache'], ...fields]);
  return { status: 200, headers, body: eventBody(produce), from: 'backend' };
}

/** An answer that is one response, as an event. */
export function messageAnswer(
  { notes }: Asked,
  response: Response,
  fields: readonly (readonly [name: string, value: string])[] = [],
): Answer {
  notes.noteOutcome(response.outcome);
  return eventStreamAnswer((sink) => sink.send(response), fields);
}

function eventBody(produce: (sink: EventSink) => Promise<void>): Body {
  let gone = false;
  let paused = false;
  const waiting: (() => void)[] = [];
  const tasks: (() => void)[] = [];
  const resume = (): void => {
    paused = false;
    for (const go of waiting.splice(0)) go();
  };
  const body = new ArrivingBody(undefined, {
    pause: () => {
      paused = true;
    },
    resume,
    cancel: () => {
      gone = true;
      resume();
      for (const task of tasks.splice(0)) task();
    },
  });
  const sendEvent = (event: EventFields): Promise<void> => {
    if (gone) return Promise.resolve();
    body.push(Buffer.from(eventText(event)));
    return paused ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
  };
  const sink: EventSink = {
    sendEvent,
    send: (message, id) => sendEvent({ event: 'message', id, data: writeMessage(message) }),
    onGone: (task) => {
      if (gone) task();
      else tasks.push(task);
    },
    isGone: () => gone,
  };
  const run = async (): Promise<void> => {
    try {
      await produce(sink);
      body.end(HeaderMap.EMPTY);
    } catch (error) {
      body.fail(error instanceof Error ? error : new Error(String(error)));
    }
  };
  void run();
  return body;
}

/** Messages are JSON and therefore one line each. */
function eventText({ event, id, data, retry }: EventFields): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(retry === undefined ? [] : [`retry: ${retry}`]),
    `data: ${data}`,
  ];
  return `${lines.join('\n')}\n\n`;
}
