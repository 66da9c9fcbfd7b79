import type { ProcessingOptions } from '../../../resources/proxy-policy/fields/ext-proc.ts';
import {
  ProcessingMode_BodySendMode as BodySendMode,
  ProcessingMode_HeaderSendMode as HeaderSendMode,
} from '../../../upstream/wire/ext_proc_pb.js';
import type { ProcessingMode } from '../../../upstream/wire/ext_proc_pb.js';

export type BodyMode = NonNullable<ProcessingOptions['requestBodyMode']>;

/** What the processor is told about one direction. */
export interface Modes {
  readonly headers: boolean;
  readonly body: BodyMode;
  readonly trailers: boolean;
}

/** EXTPROC-026: each direction has its own. */
export interface AllModes {
  readonly request: Modes;
  readonly response: Modes;
}

/** The modes of a policy, with the defaults of the specification. */
export function modesOf(options: ProcessingOptions = {}): AllModes {
  // EXTPROC-003, EXTPROC-010, EXTPROC-014
  const { requestHeaderMode = 'Send', requestBodyMode = 'FullDuplexStreamed', requestTrailerMode = 'Send' } = options;
  // EXTPROC-004, EXTPROC-011, EXTPROC-014
  const {
    responseHeaderMode = 'Send',
    responseBodyMode = 'FullDuplexStreamed',
    responseTrailerMode = 'Send',
  } = options;
  return {
    request: { headers: sends(requestHeaderMode), body: requestBodyMode, trailers: sends(requestTrailerMode) },
    response: { headers: sends(responseHeaderMode), body: responseBodyMode, trailers: sends(responseTrailerMode) },
  };
}

/** Whether trailers go to the processor: whoever streams a body in both directions at once always gets them. */
export function sendsTrailers({ body, trailers }: Modes): boolean {
  return trailers || body === 'FullDuplexStreamed';
}

/** The number the protocol has for a body mode. */
export const WIRE_BODY_MODES: Readonly<Record<BodyMode, BodySendMode>> = {
  None: BodySendMode.NONE,
  Buffered: BodySendMode.BUFFERED,
  BufferedPartial: BodySendMode.BUFFERED_PARTIAL,
  FullDuplexStreamed: BodySendMode.FULL_DUPLEX_STREAMED,
};

/**
 * EXTPROC-016: the modes after the processor's answer to `answered`. What has happened by then stays: request headers
 * were sent, and after the response headers nothing about the request can change any more.
 */
export function overrideModes(modes: AllModes, mode: ProcessingMode, answered: 'request' | 'response'): AllModes {
  const response: Modes = {
    headers:
      answered === 'request' ? headerMode(mode.responseHeaderMode, modes.response.headers) : modes.response.headers,
    body: bodyMode(mode.responseBodyMode, modes.response.body),
    trailers: headerMode(mode.responseTrailerMode, modes.response.trailers),
  };
  if (answered === 'response') return { request: modes.request, response };
  const { headers, body, trailers } = modes.request;
  return {
    request: {
      headers,
      body: bodyMode(mode.requestBodyMode, body),
      trailers: headerMode(mode.requestTrailerMode, trailers),
    },
    response,
  };
}

function sends(mode: 'Send' | 'Skip'): boolean {
  return mode === 'Send';
}

function headerMode(mode: HeaderSendMode, current: boolean): boolean {
  return mode === HeaderSendMode.DEFAULT ? current : mode === HeaderSendMode.SEND;
}

/** A body that is on its way in both directions cannot be called back; one the protocol only streams one way is not offered. */
function bodyMode(mode: BodySendMode, current: BodyMode): BodyMode {
  if (current === 'FullDuplexStreamed') return current;
  return OFFERED.get(mode) ?? current;
}

const OFFERED: ReadonlyMap<BodySendMode, BodyMode> = new Map([
  [BodySendMode.NONE, 'None'],
  [BodySendMode.BUFFERED, 'Buffered'],
  [BodySendMode.BUFFERED_PARTIAL, 'BufferedPartial'],
]);
