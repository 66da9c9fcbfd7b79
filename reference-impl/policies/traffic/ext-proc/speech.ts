import type { Body } from '../../../base/body.ts';
import type { HeaderMap } from '../../../base/headers.ts';
import type { Conversation } from './conversation.ts';
import type { Direction, Processable } from './direction.ts';
import { trailersMessage, type Envelope } from './messages.ts';
import { mutateFields, trailerEditor } from './mutations.ts';

/** One direction of a conversation. */
export interface Speech<Message extends Processable> {
  readonly conversation: Conversation;
  readonly direction: Direction<Message>;
  /** What the next message carries besides its part. */
  readonly envelope: () => Envelope;
  /** The body as it can still be had while nothing of it was given away. */
  readonly loan: { body: Body | undefined };
  /** Whether a failure at this moment leaves the message as it is (EXTPROC-021, EXTPROC-022). */
  readonly mayFail: () => boolean;
}

/** EXTPROC-014: tells the processor about trailers, if there are any, and gives what it makes of them. */
export async function processTrailers<Message extends Processable>(
  { conversation, direction, envelope }: Pick<Speech<Message>, 'conversation' | 'direction' | 'envelope'>,
  trailers: HeaderMap,
): Promise<HeaderMap> {
  if (trailers.size === 0) return trailers;
  await conversation.send(direction.trailers, trailersMessage(direction, trailers, envelope()));
  const { response } = await conversation.answerTo(direction.trailers);
  const mutation =
    response.case === 'requestTrailers' || response.case === 'responseTrailers'
      ? response.value.headerMutation
      : undefined;
  return mutateFields({ headers: trailers }, trailerEditor, mutation).headers;
}
