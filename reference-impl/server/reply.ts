import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Body } from '../base/body.ts';
import { withTrueLength } from '../base/framing.ts';
import type { HeaderMap } from '../base/headers.ts';
import { ProxyError } from '../base/proxy-error.ts';
import { type Log, errorFields } from '../base/log.ts';
import { untilDrained } from '../base/until-drained.ts';
import type { Answer } from '../exchange/exchange.ts';
import { refusalFor } from '../exchange/refusal.ts';

/**
 * Writes an answer. Resolves when everything was handed to the connection, which for most answers it is at once. A body that breaks cuts
 * the connection, so that the client cannot take half an answer for a whole one.
 */
export function reply(response: ServerResponse, answer: Answer, log: Log): Promise<void> | undefined {
  const cut = (error: unknown): void => {
    log.info('answer cut', errorFields(error));
    response.destroy();
  };
  try {
    return write(response, writeHead(response, answer, log).body)?.catch(cut);
  } catch (error) {
    cut(error);
    return undefined;
  }
}

function write(response: ServerResponse, body: Body | undefined): Promise<void> | undefined {
  if (response.destroyed || body === undefined || response.req.method === 'HEAD') {
    body?.cancel();
    response.end();
    return undefined;
  }
  const bytes = body.takeAll?.();
  if (bytes === undefined) return stream(response, body);
  endWith(response, bytes);
  return undefined;
}

/** The head, or the head of a 500 when a policy made fields that HTTP cannot carry. */
function writeHead(response: ServerResponse, answer: Answer, log: Log): Answer {
  response.sendDate = false;
  if (response.shouldKeepAlive && response.req.httpVersion === '1.1') response.removeHeader('connection');
  try {
    response.writeHead(answer.status, fieldsOf(response, answer));
    return answer;
  } catch (error) {
    log.error('answer cannot be sent', errorFields(error));
    answer.body?.cancel();
    const instead = refusalFor(new ProxyError('internal'));
    response.writeHead(instead.status, fieldsOf(response, instead));
    return instead;
  }
}

/** With the fields of the connection, which Node would write with capitals (FRONT-024). */
function fieldsOf({ req: { method, httpVersion }, shouldKeepAlive }: ServerResponse, answer: Answer): string[] {
  const headers = replyHeaders(method, answer);
  const fields = [...headers.toRaw()];
  const isLengthKnown = headers.has('content-length');
  if (httpVersion === '1.1') {
    const isChunked = answer.body !== undefined && !isLengthKnown && method !== 'HEAD';
    if (isChunked && !headers.has('transfer-encoding')) fields.push('transfer-encoding', 'chunked');
    if (!shouldKeepAlive) fields.push('connection', 'close');
  } else {
    fields.push('connection', shouldKeepAlive && isLengthKnown ? 'keep-alive' : 'close');
  }
  return fields;
}

/** The fields of an answer with the length that is true for it. */
export function replyHeaders(method: string | undefined, { status, headers, body, from }: Answer): HeaderMap {
  if (status === 204 || status === 304) return status === 204 ? headers.remove('content-length') : headers;
  // The length a HEAD answer names is that of the body a GET would get.
  if (body === undefined && method === 'HEAD' && from === 'backend') return headers;
  return body === undefined ? headers.set('content-length', '0') : withTrueLength(headers, body);
}

/** Bytes up to here are worth a copy to leave in the same write as the head. */
const SMALL = 16 * 1024;

/** A string of one character per byte is joined with the head by Node; a buffer would be written on its own. */
function endWith(response: ServerResponse, bytes: Uint8Array): void {
  if (bytes.byteLength > SMALL) response.end(bytes);
  else response.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), 'latin1');
}

async function stream(response: ServerResponse, body: Body): Promise<void> {
  try {
    response.flushHeaders();
    for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
      if (!response.write(chunk)) await untilDrained(response);
      if (response.destroyed) return;
    }
    const trailers = body.trailers?.();
    if (trailers !== undefined && trailers.size > 0) response.addTrailers([...trailers]);
    response.end();
  } finally {
    body.cancel();
  }
}
