import { HeaderMap } from '../../../base/headers.ts';
import type { Answer, Request } from '../../../exchange/exchange.ts';
import type { CheckResponse, DeniedHttpResponse, OkHttpResponse } from '../../../upstream/wire/ext_authz_pb.js';
import type { HeaderValueOption } from '../../../upstream/wire/http_pb.js';
import { answerEditor, requestEditor } from '../../edit-headers.ts';
import { fieldOf, withOption } from '../../header-options.ts';
import { bareDenial, type Decision, type DenialAnswer } from './decision.ts';
import { editQuery } from './edit-query.ts';

/** The server's reply as a decision: code 0 lets the request pass, every other one denies it. */
export function decisionOf({ status, httpResponse, dynamicMetadata: metadata }: CheckResponse): Decision {
  if ((status?.code ?? 0) !== 0) {
    if (httpResponse.case !== 'deniedResponse') return bareDenial(true, metadata);
    const answer = denialAnswer(httpResponse.value);
    return { allowed: false, answer, metadata, reusable: true, size: answer.body.byteLength + sizeOf(metadata) };
  }
  const ok = httpResponse.case === 'okResponse' ? httpResponse.value : undefined;
  return {
    allowed: true,
    edit: (request) => (ok === undefined ? request : editRequest(request, ok)),
    replyHeaders: fieldsOf(ok?.responseHeadersToAdd ?? []),
    metadata,
    reusable: true,
    size: sizeOf(metadata) + sizeOf(ok?.headers),
  };
}

/** 403 where the server names no status an answer can have. */
function denialAnswer({ status, headers, body }: DeniedHttpResponse): DenialAnswer {
  const code = status?.code ?? 0;
  const bare: Answer = {
    status: code >= 200 && code <= 599 ? code : 403,
    headers: HeaderMap.EMPTY,
    body: undefined,
    from: 'policy',
  };
  const answer = fieldsOf(headers).reduce((now, [name, value]) => answerEditor.add(now, name, value), bare);
  return { status: answer.status, headers: answer.headers, body: Buffer.from(body) };
}

/** Removals first, so that a field can be given a new value. */
function editRequest(request: Request, ok: OkHttpResponse): Request {
  let message = request;
  for (const name of ok.headersToRemove) message = requestEditor.remove(message, name);
  for (const option of ok.headers) message = withOption(message, option, requestEditor);
  const set = ok.queryParametersToSet.map(({ key, value }) => [key, value] as const);
  return { ...message, target: editQuery(message.target, set, ok.queryParametersToRemove) };
}

/** Fields of an answer, which has no pseudo-headers of the server's making. */
function fieldsOf(options: readonly HeaderValueOption[]): readonly (readonly [name: string, value: string])[] {
  const fields = options.map(fieldOf).filter((field) => field !== undefined);
  return fields.filter(([name]) => !name.startsWith(':'));
}

function sizeOf(value: unknown): number {
  return value === undefined ? 0 : JSON.stringify(value, lengthOnly).length;
}

/** Messages hold big integers and bytes, which JSON does not know. */
function lengthOnly(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return 0;
  return value instanceof Uint8Array ? value.byteLength : value;
}
