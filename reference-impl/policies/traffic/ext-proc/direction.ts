import type { HeaderMap } from '../../../base/headers.ts';
import type { Body } from '../../../base/body.ts';
import type { Answer, Request } from '../../../exchange/exchange.ts';
import { answerEditor, requestEditor, type Editor } from '../../edit-headers.ts';

/** A message that is shown to the processor, and what the protocol calls its parts. */
export interface Direction<Message> {
  readonly name: 'request' | 'response';
  readonly headers: 'requestHeaders' | 'responseHeaders';
  readonly body: 'requestBody' | 'responseBody';
  readonly trailers: 'requestTrailers' | 'responseTrailers';
  readonly editor: Editor<Message>;
  readonly withBody: (message: Message, body: Body | undefined) => Message;
  /** What HTTP/1.1 has no field for. */
  readonly pseudoHeaders: (message: Message) => readonly (readonly [name: string, value: string])[];
}

/** What both directions have in common. */
export interface Processable {
  readonly headers: HeaderMap;
  readonly body: Body | undefined;
}

export type Part = Direction<never>['headers' | 'body' | 'trailers'];

export const REQUEST: Direction<Request> = {
  name: 'request',
  headers: 'requestHeaders',
  body: 'requestBody',
  trailers: 'requestTrailers',
  editor: requestEditor,
  withBody: (request, body) => ({ ...request, body }),
  pseudoHeaders: ({ method, scheme, authority, target }) => [
    [':method', method],
    [':scheme', scheme],
    [':authority', authority],
    [':path', target],
  ],
};

export const RESPONSE: Direction<Answer> = {
  name: 'response',
  headers: 'responseHeaders',
  body: 'responseBody',
  trailers: 'responseTrailers',
  editor: answerEditor,
  withBody: (answer, body) => ({ ...answer, body }),
  pseudoHeaders: ({ status }) => [[':status', String(status)]],
};
