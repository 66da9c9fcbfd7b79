import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { type Fields, isFields } from '../../resources/groups.ts';

/** The media type in which clients send the kinds they have compiled in, such as with `kubectl create configmap`. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Every body begins with these bytes: `k8s` and a zero. */
const MAGIC: readonly number[] = [0x6b, 0x38, 0x73, 0];

/** One member of a message: its name here, and what it holds. */
type Member = readonly [
  name: string,
  type: 'string' | 'number' | 'boolean' | 'strings' | 'map' | 'bytesMap' | Message | readonly [Message],
];

/** A message by its field numbers; members that nobody here reads are left out. */
interface Message {
  readonly [field: number]: Member;
}

const METADATA: Message = {
  1: ['name', 'string'],
  2: ['generateName', 'string'],
  3: ['namespace', 'string'],
  5: ['uid', 'string'],
  6: ['resourceVersion', 'string'],
  11: ['labels', 'map'],
  12: ['annotations', 'map'],
  14: ['finalizers', 'strings'],
};

/** The envelope around every object: its type, then its bytes. */
const ENVELOPE: Message = { 1: ['typeMeta', { 1: ['apiVersion', 'string'], 2: ['kind', 'string'] }] };
const ENVELOPE_RAW = 2;

const SERVICE_PORT: Message = {
  1: ['name', 'string'],
  2: ['protocol', 'string'],
  3: ['port', 'number'],
  4: ['targetPort', { 1: ['type', 'number'], 2: ['intVal', 'number'], 3: ['strVal', 'string'] }],
  6: ['appProtocol', 'string'],
};

const ASKED_RESOURCE: Message = {
  1: ['namespace', 'string'],
  2: ['verb', 'string'],
  3: ['group', 'string'],
  4: ['version', 'string'],
  5: ['resource', 'string'],
  6: ['subresource', 'string'],
  7: ['name', 'string'],
};
const ASKED_PATH: Message = { 1: ['path', 'string'], 2: ['verb', 'string'] };

/** The kinds clients create without a manifest. */
const KINDS: Readonly<Record<string, Message>> = {
  Namespace: { 1: ['metadata', METADATA] },
  ConfigMap: {
    1: ['metadata', METADATA],
    2: ['data', 'map'],
    3: ['binaryData', 'bytesMap'],
    4: ['immutable', 'boolean'],
  },
  Secret: {
    1: ['metadata', METADATA],
    2: ['data', 'bytesMap'],
    3: ['type', 'string'],
    4: ['stringData', 'map'],
    5: ['immutable', 'boolean'],
  },
  Service: {
    1: ['metadata', METADATA],
    2: [
      'spec',
      { 1: ['ports', [SERVICE_PORT]], 2: ['selector', 'map'], 3: ['clusterIP', 'string'], 4: ['type', 'string'] },
    ],
  },
  SelfSubjectAccessReview: {
    1: ['metadata', METADATA],
    2: ['spec', { 1: ['resourceAttributes', ASKED_RESOURCE], 2: ['nonResourceAttributes', ASKED_PATH] }],
  },
};

/** The object of a body, or why it cannot be read. Members with the empty value of their type are left out. */
export function readProtobuf(bytes: Uint8Array): { readonly object: Fields } | { readonly refused: string } {
  if (!MAGIC.every((byte, index) => bytes[index] === byte)) return { refused: 'the body does not begin with k8s' };
  try {
    const envelope = bytes.subarray(MAGIC.length);
    const type = read(envelope, ENVELOPE)['typeMeta'];
    const { apiVersion, kind } = { apiVersion: undefined, kind: undefined, ...(isFields(type) ? type : {}) };
    const message = typeof kind === 'string' && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (message === undefined) return { refused: `send ${String(kind)} as JSON` };
    return { object: { apiVersion, kind, ...withWirePorts(read(rawOf(envelope), message)) } };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

/** A port by number or by name has one member here and three on the wire. */
function withWirePorts(object: Fields): Fields {
  const { spec } = object;
  if (!isFields(spec) || !Array.isArray(spec['ports'])) return object;
  const ports = spec['ports'].map((port: unknown) => {
    if (!isFields(port) || !isFields(port['targetPort'])) return port;
    const { targetPort, ...rest } = port;
    const { intVal, strVal } = { intVal: undefined, strVal: undefined, ...targetPort };
    const value = strVal ?? intVal;
    return value === undefined ? rest : { ...rest, targetPort: value };
  });
  return { ...object, spec: { ...spec, ports } };
}

function rawOf(envelope: Uint8Array): Uint8Array {
  const reader = new BinaryReader(envelope);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === ENVELOPE_RAW && wire === WireType.LengthDelimited) return reader.bytes();
    reader.skip(wire, field);
  }
  return new Uint8Array(0);
}

function read(bytes: Uint8Array, message: Message): Fields {
  const reader = new BinaryReader(bytes);
  const found = new Map<string, unknown>();
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const member = message[field];
    if (member === undefined) reader.skip(wire, field);
    else {
      const [name, type] = member;
      const value = readMember(reader, type, found.get(name));
      if (value !== '' && value !== 0 && value !== false) found.set(name, value);
    }
  }
  return Object.fromEntries(
    [...found].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value]),
  );
}

/** `before` is what the member has so far: lists and maps come one entry at a time, and are added to. */
function readMember(reader: BinaryReader, type: Member[1], before: unknown): unknown {
  if (type === 'string') return reader.string();
  if (type === 'number') return reader.int32();
  if (type === 'boolean') return reader.bool();
  if (type === 'map' || type === 'bytesMap') {
    const map = before instanceof Map ? before : new Map<unknown, unknown>();
    return map.set(...entryOf(reader, type));
  }
  if (type !== 'strings' && !isList(type)) return read(reader.bytes(), type);
  const list: unknown[] = Array.isArray(before) ? before : [];
  list.push(type === 'strings' ? reader.string() : read(reader.bytes(), type[0]));
  return list;
}

/** One entry of a map is a message of a key and a value. Bytes become base64, as in JSON. */
function entryOf(reader: BinaryReader, type: 'map' | 'bytesMap'): readonly [key: string, value: string] {
  const entry = new BinaryReader(reader.bytes());
  let key = '';
  let value = '';
  while (entry.pos < entry.len) {
    const [field, wire] = entry.tag();
    if (field === 1) key = entry.string();
    else if (field === 2) value = type === 'map' ? entry.string() : Buffer.from(entry.bytes()).toString('base64');
    else entry.skip(wire, field);
  }
  return [key, value];
}

function isList(type: Message | readonly [Message]): type is readonly [Message] {
  return Array.isArray(type);
}
