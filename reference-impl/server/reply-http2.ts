import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Body } from '../base/body.ts';
import type { HeaderMap, HeaderView } from '../base/headers.ts';
import { errorFields, type Log } from '../base/log.ts';
import { perObject } from '../base/per-object.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { untilDrained } from '../base/until-drained.ts';
import type { Answer } from '../exchange/exchange.ts';
import { refusalFor } from '../exchange/refusal.ts';
import { replyHeaders } from './reply.ts';

/**
 * Writes an answer to a stream. Resolves when everything was handed to the connection. A body that breaks resets the stream, so that
 * the client cannot take half an answer for a whole one.
 */
export async function replyHttp2(stream: ServerHttp2Stream, method: string, answer: Answer, log: Log): Promise<void> {
  try {
    if (stream.destroyed || stream.closed) {
      answer.body?.cancel();
      return;
    }
    const { body } = writeHead(stream, method, answer, log);
    if (stream.writableEnded) body?.cancel();
    else if (body !== undefined) await writeBody(stream, body);
  } catch (error) {
    log.info('answer cut', errorFields(error));
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

/** The head, or the head of a 500 when a policy made fields that HTTP/2 cannot carry. */
function writeHead(stream: ServerHttp2Stream, method: string, answer: Answer, log: Log): Answer {
  try {
    respond(stream, method, answer);
    return answer;
  } catch (error) {
    log.error('answer cannot be sent', errorFields(error));
    answer.body?.cancel();
    const instead = refusalFor(new ProxyError('internal'));
    respond(stream, method, instead);
    return instead;
  }
}

function respond(stream: ServerHttp2Stream, method: string, answer: Answer): void {
  const endStream = answer.body === undefined || method === 'HEAD';
  // FRONT-025: the view has the names in lower case.
  const fields = withoutConnectionFields(replyHeaders(method, answer)).view();
  // A date is the backend's to say.
  const options = { endStream, sendDate: false, waitForTrailers: !endStream };
  stream.respond({ ':status': answer.status, ...outgoing(fields) }, options);
}

/** RFC 9113, section 8.2.2: what a policy may have set and HTTP/2 has no place for. */
function withoutConnectionFields(headers: HeaderMap): HeaderMap {
  return headers.remove(
    'connection',
    'keep-alive',
    'proxy-connection',
    'transfer-encoding',
    'upgrade',
    'http2-settings',
  );
}

function outgoing(fields: HeaderView): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(fields)) headers[name] = typeof value === 'string' ? value : [...value];
  return headers;
}

async function writeBody(stream: ServerHttp2Stream, body: Body): Promise<void> {
  stream.once('wantTrailers', () => {
    stream.sendTrailers(outgoing(body.trailers?.().view() ?? {}));
  });
  try {
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
      if (stream.destroyed) return;
      given(stream).bytes += chunk.byteLength;
      if (!stream.write(chunk)) await untilDrained(stream);
    }
    stream.end();
  } finally {
    body.cancel();
  }
}

/** Bytes of its body that the stream was given, sent or not. */
export function bytesGiven(stream: ServerHttp2Stream): number {
  return given(stream).bytes;
}

const given = perObject<ServerHttp2Stream, { bytes: number }>(() => ({ bytes: 0 }));
