import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { StreamAnswer } from './answer.ts';
import { SERVED_KINDS, type ServedKind } from './served-kinds.ts';

/** The one format in which clients read the older schemas. */
export const OPENAPI_V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/**
 * Just enough of the older format for a client to see that this server checks fields and offers dry runs for every
 * kind, so that it does not check by itself: it asks here before it sends a `List`. Schemas are in the newer one.
 */
export const openApiV2: StreamAnswer = {
  stream: (response) => {
    // An at sign may stand in what clients ask for, and not in what they are given.
    response.writeHead(200, { 'content-type': OPENAPI_V2.replace('@', '.'), 'cache-control': 'no-store' });
    response.end(documentBytes());
  },
};

/** Field numbers of the messages of the format, as far as they are written. */
const DOCUMENT = { swagger: 1, paths: 8 };
const PATHS = { path: 2 };
const NAMED = { name: 1, value: 2 };
const PATH_ITEM = { patch: 8 };
const OPERATION = { parameters: 8, vendorExtension: 13 };
const ANY = { yaml: 2 };
const PARAMETER_ITEM = { parameter: 1 };
const PARAMETER = { nonBody: 2 };
const NON_BODY = { query: 3 };
const QUERY = { in: 2, name: 4, type: 6 };

function documentBytes(): Uint8Array {
  const paths = message((writer) => {
    for (const kind of SERVED_KINDS)
      field(writer, PATHS.path, namedMessage(`/${kind.apiVersion}/${kind.plural}`, patchOf(kind)));
  });
  return message((writer) => {
    text(writer, DOCUMENT.swagger, '2.0');
    field(writer, DOCUMENT.paths, paths);
  });
}

function patchOf({ group, version, name }: ServedKind): Uint8Array {
  const yaml = message((writer) => {
    text(writer, ANY.yaml, JSON.stringify({ group, version, kind: name }));
  });
  const operation = message((writer) => {
    for (const parameter of ['dryRun', 'fieldManager', 'fieldValidation', 'force']) {
      field(writer, OPERATION.parameters, queryParameter(parameter));
    }
    field(writer, OPERATION.vendorExtension, namedMessage('x-kubernetes-group-version-kind', yaml));
  });
  return wrapMessage(PATH_ITEM.patch, operation);
}

function queryParameter(name: string): Uint8Array {
  const query = message((writer) => {
    text(writer, QUERY.in, 'query');
    text(writer, QUERY.name, name);
    text(writer, QUERY.type, 'string');
  });
  return wrapMessage(PARAMETER_ITEM.parameter, wrapMessage(PARAMETER.nonBody, wrapMessage(NON_BODY.query, query)));
}

function namedMessage(name: string, value: Uint8Array): Uint8Array {
  return message((writer) => {
    text(writer, NAMED.name, name);
    field(writer, NAMED.value, value);
  });
}

function wrapMessage(number: number, content: Uint8Array): Uint8Array {
  return message((writer) => {
    field(writer, number, content);
  });
}

function message(write: (writer: BinaryWriter) => void): Uint8Array {
  const writer = new BinaryWriter();
  write(writer);
  return writer.finish();
}

function field(writer: BinaryWriter, number: number, content: Uint8Array): void {
  writer.uint32(number * 8 + 2).bytes(content);
}

function text(writer: BinaryWriter, number: number, value: string): void {
  writer.uint32(number * 8 + 2).string(value);
}
