import { Buffer } from 'node:buffer';
import { HeaderMap, isFieldValue } from '../../../base/headers.ts';
import { bytesBody } from '../../../base/read-body.ts';
import type { Answer, Received, ReplyHeader } from '../../../exchange/exchange.ts';
import { addReplyHeaders, type Outcome } from '../../../exchange/outcome.ts';
import type { HeaderValue } from '../../../upstream/wire/http_pb.js';
import { RateLimitResponse_Code as Code, type RateLimitResponse } from '../../../upstream/wire/rls_pb.js';
import { answerEditor, requestEditor } from '../../edit-headers.ts';

/** What the answer of a rate limit server means for the request: only OK lets it pass. */
export function outcomeOf({ request, handover }: Received, response: RateLimitResponse): Outcome {
  const replyHeaders = fieldsOf(response.responseHeadersToAdd);
  if (response.overallCode !== Code.OK) return { kind: 'answer', answer: tooMany(response.rawBody, replyHeaders) };
  const edited = fieldsOf(response.requestHeadersToAdd).reduce(
    (now, [name, value]) => requestEditor.set(now, name, value),
    request,
  );
  return { kind: 'change', request: edited, handover: addReplyHeaders(handover, replyHeaders) };
}

/** RATE-002: with the words of the server, and none of the proxy's own. */
function tooMany(body: Uint8Array, headers: readonly ReplyHeader[]): Answer {
  const bare: Answer = {
    status: 429,
    headers: HeaderMap.EMPTY,
    body: body.byteLength === 0 ? undefined : bytesBody(body),
    from: 'policy',
  };
  return headers.reduce((answer, [name, value]) => answerEditor.add(answer, name, value), bare);
}

/** Bytes win over text; what cannot travel as a field is left out, and a server has no say in the status. */
function fieldsOf(headers: readonly HeaderValue[]): readonly ReplyHeader[] {
  return headers.flatMap(({ key, value, rawValue }): readonly ReplyHeader[] => {
    const text = rawValue.byteLength > 0 ? Buffer.from(rawValue).toString('latin1') : value;
    return FIELD_NAME.test(key) && isFieldValue(text) ? [[key, text]] : [];
  });
}

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
