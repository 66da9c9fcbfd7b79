import type { JsonObject } from '@bufbuild/protobuf';
import type { Body } from '../../../base/body.ts';
import type { HeaderMap } from '../../../base/headers.ts';
import type { ProcessingResponse } from '../../../upstream/wire/ext_proc_pb.js';
import { replacedTrailers } from './bodies.ts';
import type { Processable } from './direction.ts';
import { showBody, type Shown } from './held-body.ts';
import { headersMessage } from './messages.ts';
import { overrideModes, sendsTrailers } from './modes.ts';
import { claimedLength, mutateFields } from './mutations.ts';
import { processTrailers, type Speech } from './speech.ts';
import { streamBody } from './streamed-body.ts';

/** What the processor made of a message. */
export interface Processed<Message> {
  readonly message: Message;
  /** What it said beside it, in its answer to the headers. */
  readonly metadata: JsonObject | undefined;
}

/**
 * Tells the processor about one message, part by part as the modes say, and gives what may be passed on: a streamed
 * body goes on arriving after this resolves. Rejects when the conversation is over before that.
 */
export async function processMessage<Message extends Processable>(
  speech: Speech<Message>,
  message: Message,
  allowModeOverride: boolean,
): Promise<Processed<Message>> {
  const { conversation, direction, envelope } = speech;
  const before = conversation.modes[direction.name];
  // EXTPROC-010 to EXTPROC-013
  if (before.headers) await conversation.send(direction.headers, headersMessage(direction, message, envelope()));
  const streamed =
    message.body !== undefined && before.body === 'FullDuplexStreamed' ? streamBody(speech, message.body) : undefined;
  if (!before.headers) {
    await streamed?.started;
    return { message: await withBody(speech, message, streamed?.body, undefined), metadata: undefined };
  }
  const answer = await conversation.answerTo(direction.headers);
  // EXTPROC-015, EXTPROC-016
  if (allowModeOverride && answer.modeOverride !== undefined)
    conversation.modes = overrideModes(conversation.modes, answer.modeOverride, direction.name);
  const mutation = headerMutation(answer);
  const edited = mutateFields(message, direction.editor, mutation);
  return {
    message: await withBody(speech, edited, streamed?.body, claimedLength(mutation)),
    metadata: answer.dynamicMetadata,
  };
}

async function withBody<Message extends Processable>(
  speech: Speech<Message>,
  message: Message,
  streamed: Body | undefined,
  claimed: string | undefined,
): Promise<Message> {
  const { conversation, direction } = speech;
  if (streamed !== undefined) return direction.withBody(message, streamed);
  const { message: shown, goesOn } = await heldBody(speech, message, claimed);
  const { body } = shown;
  if (goesOn && body !== undefined && sendsTrailers(conversation.modes[direction.name]))
    return direction.withBody(shown, withShownTrailers(speech, body));
  conversation.finish(direction.name);
  return shown;
}

/** EXTPROC-005: a body that is not shown passes as it is. */
async function heldBody<Message extends Processable>(
  speech: Speech<Message>,
  message: Message,
  claimed: string | undefined,
): Promise<Shown<Message>> {
  const mode = speech.conversation.modes[speech.direction.name].body;
  if (message.body !== undefined && (mode === 'Buffered' || mode === 'BufferedPartial'))
    return showBody(speech, message, message.body, claimed);
  // Only a body without declared length can have trailers.
  return { message, goesOn: message.body?.length === undefined };
}

/** The end of the body waits for what the processor makes of the trailers. */
function withShownTrailers<Message extends Processable>(speech: Speech<Message>, body: Body): Body {
  const { conversation, direction } = speech;
  return replacedTrailers(
    body,
    async (trailers) => {
      const replaced = await orUnchanged(speech, trailers);
      conversation.finish(direction.name);
      return replaced;
    },
    () => {
      conversation.finish(direction.name);
    },
  );
}

/** EXTPROC-021: a processor that fails here has seen nothing of the body yet, unless it was shown a part. */
async function orUnchanged<Message extends Processable>(
  speech: Speech<Message>,
  trailers: HeaderMap,
): Promise<HeaderMap> {
  try {
    return await processTrailers(speech, trailers);
  } catch (error) {
    if (speech.mayFail()) return trailers;
    throw error;
  }
}

function headerMutation({ response }: ProcessingResponse): Parameters<typeof claimedLength>[0] {
  return response.case === 'requestHeaders' || response.case === 'responseHeaders'
    ? response.value.response?.headerMutation
    : undefined;
}
