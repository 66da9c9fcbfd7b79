import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '@bufbuild/protobuf';
import { valuesByName } from '../values-by-name.ts';
import type { Pair, ValuesByName } from '../values-by-name.ts';
import type { HeaderMap } from '../wire/gen/http_pb.js';
import type { ProcessingRequest } from '../wire/gen/ext_proc_pb.js';
import { BODY_MODES } from './script.ts';
import type { Kind } from './script.ts';

/** One message of a stream in the words a case uses. */
export interface Arrived {
  readonly kind: Kind | 'nothing';
  /** The message ends its direction: `end_of_stream`, or trailers. */
  readonly end: boolean;
  readonly headers: ValuesByName;
  readonly body: Buffer;
  /** Set in the first message of a stream. */
  readonly protocolConfig?: ProtocolConfig;
  readonly view: Readonly<Record<string, unknown>>;
}

export interface ProtocolConfig {
  readonly requestBodyMode: string;
  readonly responseBodyMode: string;
}

/** A message as it came, with the members that belong to its kind. */
export function toArrived(message: ProcessingRequest): Arrived {
  const { request, protocolConfig } = message;
  const config = protocolConfig && {
    requestBodyMode: BODY_MODES[protocolConfig.requestBodyMode] ?? String(protocolConfig.requestBodyMode),
    responseBodyMode: BODY_MODES[protocolConfig.responseBodyMode] ?? String(protocolConfig.responseBodyMode),
  };
  const content = contentOf(request);
  const kind = request.case ?? 'nothing';
  return {
    kind,
    ...content,
    ...(config === undefined ? {} : { protocolConfig: config }),
    view: {
      kind,
      ...viewOf(content, kind),
      ...(config === undefined ? {} : { protocolConfig: config }),
      ...(message.metadataContext === undefined ? {} : { metadata: message.metadataContext.filterMetadata }),
      ...attributesOf(message),
      ...(message.observabilityMode ? { observabilityMode: true } : {}),
    },
  };
}

/** As they came, by the name of the filter they are for; and together, for whoever does not care about that name. */
function attributesOf({ attributes }: ProcessingRequest): Readonly<Record<string, unknown>> {
  const values: JsonObject = {};
  for (const some of Object.values(attributes)) Object.assign(values, some);
  return Object.keys(attributes).length === 0 ? {} : { attributes, attributeValues: values };
}

type Content = Pick<Arrived, 'end' | 'headers' | 'body'>;

const NO_BYTES = Buffer.alloc(0);

function contentOf(request: ProcessingRequest['request']): Content {
  switch (request.case) {
    case 'requestHeaders':
    case 'responseHeaders':
      return { end: request.value.endOfStream, headers: plainHeaders(request.value.headers), body: NO_BYTES };
    case 'requestBody':
    case 'responseBody':
      return { end: request.value.endOfStream, headers: {}, body: Buffer.from(request.value.body) };
    case 'requestTrailers':
    case 'responseTrailers':
      return { end: true, headers: plainHeaders(request.value.trailers), body: NO_BYTES };
    case undefined:
    default:
      return { end: true, headers: {}, body: NO_BYTES };
  }
}

function viewOf({ end, headers, body }: Content, kind: Arrived['kind']): Readonly<Record<string, unknown>> {
  if (kind.endsWith('Trailers')) return { trailers: headers };
  if (kind.endsWith('Headers')) return { headers, end };
  return {
    ...(isUtf8(body) ? { body: body.toString() } : { base64: body.toString('base64') }),
    bytes: body.length,
    end,
  };
}

/** Names as they came; the protocol has them in lower case. Bytes are taken where there are any, else the text. */
function plainHeaders(map: HeaderMap | undefined): ValuesByName {
  const pairs = (map?.headers ?? []).map(({ key, value, rawValue }): Pair => {
    return [key, rawValue.length > 0 ? Buffer.from(rawValue).toString('latin1') : value];
  });
  return valuesByName(pairs);
}
