import type { Body } from '../../../base/body.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { bytesBody, readBody, type ReadBody } from '../../../base/read-body.ts';
import type { BodyMutation, CommonResponse } from '../../../upstream/wire/ext_proc_pb.js';
import { replacedStart } from './bodies.ts';
import type { Processable } from './direction.ts';
import { bodyMessage } from './messages.ts';
import { sendsTrailers } from './modes.ts';
import { claimedLength, mutateFields } from './mutations.ts';
import { processTrailers, type Speech } from './speech.ts';

/** EXTPROC-006, EXTPROC-028: "8KB". */
export const HELD_LIMIT = 8 * 1024;

/** A message whose body was shown. */
export interface Shown<Message> {
  readonly message: Message;
  /** The end of the body was not seen yet, so trailers may follow. */
  readonly goesOn: boolean;
}

/**
 * Shows a body in one piece. EXTPROC-007: a larger one is an error in mode Buffered, whatever the failureMode.
 * EXTPROC-008, EXTPROC-009: in mode BufferedPartial its first bytes are shown and the others follow as they are.
 */
export async function showBody<Message extends Processable>(
  speech: Speech<Message>,
  message: Message,
  source: Body,
  claimed: string | undefined,
): Promise<Shown<Message>> {
  const { direction, conversation, loan } = speech;
  const read = await readBody(source, HELD_LIMIT);
  loan.body = read.rest;
  if (!read.overflow) return { message: await showWhole(speech, message, read, claimed), goesOn: false };
  if (conversation.modes[direction.name].body === 'Buffered')
    throw new ProxyError('extProcBodyTooLarge', `${direction.name} body over ${HELD_LIMIT} bytes`);
  return { message: await showStart(speech, message, read), goesOn: true };
}

async function showWhole<Message extends Processable>(
  speech: Speech<Message>,
  message: Message,
  { bytes, rest }: ReadBody,
  claimed: string | undefined,
): Promise<Message> {
  const { direction, conversation } = speech;
  const trailers = rest.trailers?.() ?? HeaderMap.EMPTY;
  const tellsTrailers = trailers.size > 0 && sendsTrailers(conversation.modes[direction.name]);
  const answer = await ask(speech, bytes, !tellsTrailers);
  const body = newBytes(answer?.bodyMutation);
  if (body !== undefined) requireLength(body, claimedLength(answer?.headerMutation) ?? claimed);
  const told = tellsTrailers ? await processTrailers(speech, trailers) : trailers;
  const edited = mutateFields(message, direction.editor, answer?.headerMutation);
  return direction.withBody(edited, withTrailers(body ?? bytes, told));
}

async function showStart<Message extends Processable>(
  speech: Speech<Message>,
  message: Message,
  { bytes, rest }: ReadBody,
): Promise<Message> {
  const { direction } = speech;
  const answer = await ask(speech, bytes, false);
  const start = newBytes(answer?.bodyMutation);
  const body = start === undefined ? rest : replacedStart(start, bytes.byteLength, rest);
  return direction.withBody(mutateFields(message, direction.editor, answer?.headerMutation), body);
}

async function ask<Message extends Processable>(
  { conversation, direction, envelope }: Speech<Message>,
  bytes: Uint8Array,
  endOfStream: boolean,
): Promise<CommonResponse | undefined> {
  await conversation.send(direction.body, bodyMessage(direction, bytes, endOfStream, envelope()));
  const { response } = await conversation.answerTo(direction.body);
  return response.case === 'requestBody' || response.case === 'responseBody' ? response.value.response : undefined;
}

/** Undefined leaves the body as it is. */
function newBytes(body: BodyMutation | undefined): Uint8Array | undefined {
  switch (body?.mutation.case) {
    case 'body':
      return body.mutation.value;
    case 'clearBody':
      return body.mutation.value ? new Uint8Array(0) : undefined;
    case 'streamedResponse':
      throw new ProxyError('extProcFailed', 'a body that was sent in one piece came back streamed');
    case undefined:
    default:
      return undefined;
  }
}

function requireLength(body: Uint8Array, claimed: string | undefined): void {
  if (claimed === undefined || claimed === String(body.byteLength)) return;
  throw new ProxyError('extProcFailed', `content-length ${claimed} for a body of ${body.byteLength} bytes`);
}

/** A message with trailers travels in chunks, so it has no length. */
function withTrailers(bytes: Uint8Array, trailers: HeaderMap): Body {
  const body = bytesBody(bytes);
  return trailers.size === 0
    ? body
    : { read: body.read, cancel: body.cancel, length: undefined, trailers: () => trailers };
}
