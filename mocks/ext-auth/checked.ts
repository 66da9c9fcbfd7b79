import { isUtf8 } from 'node:buffer';
import { create } from '@bufbuild/protobuf';
import type { OpenCall, Question } from '../grpc/record-call.ts';
import { AttributeContext_HttpRequestSchema, AttributeContextSchema } from '../wire/gen/ext_authz_pb.js';
import type {
  AttributeContext,
  AttributeContext_HttpRequest,
  AttributeContext_Peer,
  CheckRequest,
} from '../wire/gen/ext_authz_pb.js';

/** The request somebody asks about, as plain data. */
export interface Checked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** As they came; names are lower case by the protocol. */
  readonly headers: Readonly<Record<string, string>>;
}

export type OpenCheck = OpenCall<CheckRequest, Checked>;

/** A CheckRequest in the words a case uses. The text fields of the protocol are shown also where they are empty. */
export function readCheck({ attributes = create(AttributeContextSchema) }: CheckRequest): Question<Checked> {
  const http = attributes.request?.http ?? create(AttributeContext_HttpRequestSchema);
  const { id, method, path, host, scheme, query, fragment, protocol, headers } = http;
  const body = bodyOf(http);
  const asked = {
    id,
    method,
    path,
    host,
    scheme,
    query,
    fragment,
    protocol,
    headers,
    size: Number(http.size),
    ...(isUtf8(body) ? { body: body.toString() } : { base64: body.toString('base64') }),
    bytes: body.length,
    ...viewOfSurroundings(attributes),
  };
  return { asked, bytes: body.length, cut: { ...asked, body: '' } };
}

/** The text where there is some, else the bytes. */
function bodyOf({ body, rawBody }: AttributeContext_HttpRequest): Buffer {
  return body.length > 0 ? Buffer.from(body) : Buffer.from(rawBody);
}

/** What is said about the request besides itself. */
function viewOfSurroundings(attributes: AttributeContext): Readonly<Record<string, unknown>> {
  const { request, contextExtensions, metadataContext, source, destination, tlsSession } = attributes;
  const metadata = metadataContext?.filterMetadata ?? {};
  return {
    ...(request?.time === undefined ? {} : { time: Number(request.time.seconds) }),
    contextExtensions,
    metadata,
    metadataByName: Object.fromEntries([
      ...Object.values(metadata).flatMap(Object.entries),
      ...Object.entries(metadata),
    ]),
    ...(source === undefined ? {} : { source: viewOfPeer(source) }),
    ...(destination === undefined ? {} : { destination: viewOfPeer(destination) }),
    ...(tlsSession === undefined ? {} : { sni: tlsSession.sni }),
  };
}

function viewOfPeer({ address: place, principal }: AttributeContext_Peer): Readonly<Record<string, unknown>> {
  const { address } = place ?? {};
  const socket = address?.case === 'socketAddress' ? address.value : undefined;
  const port = socket?.portSpecifier.case === 'portValue' ? socket.portSpecifier.value : 0;
  return { address: socket?.address ?? '', port, principal };
}
