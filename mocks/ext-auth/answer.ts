import { create } from '@bufbuild/protobuf';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { CheckResponseSchema } from '../wire/gen/ext_authz_pb.js';
import type { CheckResponse } from '../wire/gen/ext_authz_pb.js';
import type { HeaderValueOptionSchema } from '../wire/gen/http_pb.js';
import { APPEND_ACTIONS } from './script.ts';
import type { HeaderEdit, Headers, Reply } from './script.ts';

/** What `reply` says, as the protocol says it. */
export function toResponse(reply: Reply): CheckResponse {
  const code = reply.code ?? (reply.deny === undefined ? OK : PERMISSION_DENIED);
  return create(CheckResponseSchema, {
    status: { code, message: reply.message ?? '' },
    httpResponse: reply.bare === true ? { case: undefined } : decision(reply),
    ...(reply.metadata === undefined ? {} : { dynamicMetadata: reply.metadata }),
  });
}

const OK = 0;
const PERMISSION_DENIED = 7;

type HttpResponse = Exclude<MessageInitShape<typeof CheckResponseSchema>, CheckResponse>['httpResponse'];

function decision({ allow = {}, deny }: Reply): NonNullable<HttpResponse> {
  if (deny !== undefined) {
    const { status, headers, body = '' } = deny;
    return {
      case: 'deniedResponse',
      value: { ...(status === undefined ? {} : { status: { code: status } }), headers: toOptions(headers), body },
    };
  }
  return {
    case: 'okResponse',
    value: {
      headers: toOptions(allow.headers),
      headersToRemove: allow.remove ?? [],
      responseHeadersToAdd: toOptions(allow.responseHeaders),
      queryParametersToSet: Object.entries(allow.setQuery ?? {}).map(([key, value]) => ({ key, value })),
      queryParametersToRemove: allow.removeQuery ?? [],
    },
  };
}

type Option = MessageInitShape<typeof HeaderValueOptionSchema>;

function toOptions(headers: Headers = {}): Option[] {
  return Object.entries(headers).flatMap(([key, values]) =>
    [values].flat().map((value) => toOption(key, typeof value === 'string' ? { value } : value)),
  );
}

function toOption(key: string, { value, append, action, raw }: HeaderEdit): Option {
  return {
    header: raw === true ? { key, rawValue: Buffer.from(value) } : { key, value },
    ...(append === undefined ? {} : { append }),
    appendAction: action === undefined ? 0 : APPEND_ACTIONS.indexOf(action),
  };
}
