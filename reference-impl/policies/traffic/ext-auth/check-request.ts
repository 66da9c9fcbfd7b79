import { isUtf8 } from 'node:buffer';
import { create, type JsonObject } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { VariableSource } from '../../../cel/program.ts';
import { jsonText } from '../../../cel/results.ts';
import { isTimeValue } from '../../../cel/values.ts';
import type { Received, Request } from '../../../exchange/exchange.ts';
import { CheckRequestSchema, type CheckRequest } from '../../../upstream/wire/ext_authz_pb.js';
import type { Question } from './decision.ts';
import { evaluateNamed, type NamedProgram } from './named-programs.ts';

/** The question in the words of the protocol. `metadata` is undefined where requestMetadata is not set. */
export function checkRequest(
  { exchange, variables, body }: Question,
  contextExtensions: Readonly<Record<string, string>>,
  metadata: readonly NamedProgram[] | undefined,
): CheckRequest {
  const { source, port, clock } = exchange;
  return create(CheckRequestSchema, {
    attributes: {
      source: { address: socketAddress(source.address, source.port), principal: source.tls?.client?.spiffeId ?? '' },
      destination: { address: socketAddress(source.local?.address ?? '', port) },
      request: { time: timestampFromMs(Math.floor(clock.wall())), http: httpRequest(exchange.request, body) },
      // EXTAUTH-006
      contextExtensions,
      metadataContext: {
        filterMetadata: metadata === undefined ? compatibility(exchange) : evaluateMaps(metadata, variables),
      },
      ...(source.tls && { tlsSession: { sni: source.tls.serverName } }),
    },
  });
}

function socketAddress(address: string, port: number): object {
  return { address: { case: 'socketAddress', value: { address, portSpecifier: { case: 'portValue', value: port } } } };
}

/** EXTAUTH-022, EXTAUTH-023: the body is there only where it is forwarded. */
function httpRequest({ method, scheme, authority, target, version, headers }: Request, body?: Uint8Array): object {
  return {
    id: traceId(headers.get('traceparent')),
    method,
    scheme,
    host: authority,
    path: target,
    protocol: version === 'HTTP/2.0' ? 'HTTP/2' : version,
    headers: {
      ...headerTexts(headers),
      ':method': method,
      ':scheme': scheme,
      ':authority': authority,
      ':path': target,
    },
    size: BigInt(body?.byteLength ?? 0),
    ...(body === undefined ? {} : isUtf8(body) ? { body: Buffer.from(body).toString() } : { rawBody: body }),
  };
}

function traceId(traceparent: string | undefined): string {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(traceparent ?? '')?.[1] ?? '';
}

/** Lower-case names; a field that came more than once is one text. */
function headerTexts(headers: Request['headers']): Record<string, string> {
  const fields = Object.entries(headers.view()).map(([name, value]) => {
    const separator = name === 'cookie' ? '; ' : ', ';
    return [name, typeof value === 'string' ? value : value.join(separator)] as const;
  });
  return Object.fromEntries(fields.map(([name, value]) => [name, asText(value)]));
}

/** Header bytes as protobuf takes text: UTF-8 where they are, else one character per byte. */
function asText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : value;
}

/** EXTAUTH-008: what servers know from elsewhere, while nobody says otherwise (EXTAUTH-009, EXTAUTH-042). */
function compatibility({ facts }: Received): Record<string, JsonObject> {
  return facts.jwt === undefined ? {} : { [JWT_KEY]: asStruct({ jwt_payload: facts.jwt }) };
}

const JWT_KEY = 'envoy.filters.http.jwt_authn';

/** EXTAUTH-007: an entry whose expression fails, or is no map, is skipped. */
function evaluateMaps(metadata: readonly NamedProgram[], variables: VariableSource): Record<string, JsonObject> {
  const values = evaluateNamed(metadata, variables);
  return Object.fromEntries(
    values.flatMap(([name, value]) => (isMap(value) ? [[name, asStruct(value)] as const] : [])),
  );
}

function isMap(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || isTimeValue(value)) return false;
  return !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** A Struct holds JSON only; everything else goes as CEL writes it in JSON. */
function asStruct(value: object): JsonObject {
  const json: unknown = JSON.parse(jsonText(value));
  return isJsonObject(json) ? json : {};
}

// What JSON.parse gives is JSON; only the outermost form has to be looked at.
function isJsonObject(json: unknown): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
