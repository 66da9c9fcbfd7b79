import { CelScalar, celFunc, celMethod, objectType } from '@bufbuild/cel';
import type { CelFunc } from '@bufbuild/cel';
import { create, createFileRegistry } from '@bufbuild/protobuf';
import type { DescMessage } from '@bufbuild/protobuf';
import { isReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { invariant } from '../../base/invariant.ts';
import { addressText, containsAddress, containsRange, isLoopback, parseAddress, parseRange } from './addresses.ts';
import type { Address, Range } from './addresses.ts';

/*
 * The engine takes no objects of its own classes, but it takes protobuf messages. So an address is a message
 * `net.IP {text}` and a range a message `net.CIDR {text}`, each holding its canonical text, which also makes equal
 * values equal.
 */
const file = create(FileDescriptorProtoSchema, {
  name: 'net.proto',
  package: 'net',
  syntax: 'proto3',
  messageType: ['IP', 'CIDR'].map((name) => ({
    name,
    field: [
      {
        name: 'text',
        jsonName: 'text',
        number: 1,
        label: FieldDescriptorProto_Label.OPTIONAL,
        type: FieldDescriptorProto_Type.STRING,
      },
    ],
  })),
});

/** The message types of addresses and ranges; the environment must know them. */
export const NETWORK_TYPES = createFileRegistry(file, () => undefined);
const IP = descriptor('net.IP');
const CIDR = descriptor('net.CIDR');
const IP_TYPE = objectType(IP);
const CIDR_TYPE = objectType(CIDR);
const { BOOL, INT, STRING } = CelScalar;

/** `ip()`, `isIP()`, `cidr()`, `isCIDR()` and what can be asked of their results. */
export const NETWORK_FUNCTIONS: readonly CelFunc[] = [
  celFunc('ip', [STRING], IP_TYPE, (text) => message(IP, addressText(address(text)))),
  celFunc('ip', [IP_TYPE], IP_TYPE, (value) => value),
  celFunc('isIP', [STRING], BOOL, (text) => parseAddress(text) !== undefined),
  celFunc('string', [IP_TYPE], STRING, (value) => networkText(value)),
  celFunc('cidr', [STRING], CIDR_TYPE, (text) => message(CIDR, rangeText(range(text)))),
  celFunc('cidr', [CIDR_TYPE], CIDR_TYPE, (value) => value),
  celFunc('isCIDR', [STRING], BOOL, (text) => parseRange(text) !== undefined),
  celFunc('string', [CIDR_TYPE], STRING, (value) => networkText(value)),
  celMethod('family', IP_TYPE, [], INT, function () {
    return addressOf(this).bits === 32 ? 4n : 6n;
  }),
  celMethod('isLoopback', IP_TYPE, [], BOOL, function () {
    return isLoopback(addressOf(this));
  }),
  celMethod('isUnspecified', IP_TYPE, [], BOOL, function () {
    return addressOf(this).value === 0n;
  }),
  celMethod('containsIP', CIDR_TYPE, [STRING], BOOL, function (text) {
    return containsAddress(rangeOf(this), address(text));
  }),
  celMethod('containsIP', CIDR_TYPE, [IP_TYPE], BOOL, function (value) {
    return containsAddress(rangeOf(this), addressOf(value));
  }),
  celMethod('containsCIDR', CIDR_TYPE, [STRING], BOOL, function (text) {
    return containsRange(rangeOf(this), range(text));
  }),
  celMethod('containsCIDR', CIDR_TYPE, [CIDR_TYPE], BOOL, function (value) {
    return containsRange(rangeOf(this), rangeOf(value));
  }),
  celMethod('ip', CIDR_TYPE, [], IP_TYPE, function () {
    return message(IP, addressText(rangeOf(this).address));
  }),
  celMethod('masked', CIDR_TYPE, [], CIDR_TYPE, function () {
    const { address: base, prefix } = rangeOf(this);
    const host = BigInt(base.bits - prefix);
    return message(CIDR, rangeText({ address: { ...base, value: (base.value >> host) << host }, prefix }));
  }),
  celMethod('prefixLength', CIDR_TYPE, [], INT, function () {
    return BigInt(rangeOf(this).prefix);
  }),
];

/** True for an address or a range. */
export function isNetworkValue(value: unknown): value is ReflectMessage {
  return isReflectMessage(value, IP) || isReflectMessage(value, CIDR);
}

/** The canonical text of an address or a range. */
export function networkText(value: ReflectMessage): string {
  const field = value.desc.field['text'];
  const text: unknown = field === undefined ? undefined : value.get(field);
  invariant(typeof text === 'string', 'a network value has a text');
  return text;
}

function descriptor(name: string): DescMessage {
  const found = NETWORK_TYPES.getMessage(name);
  invariant(found !== undefined, `${name} is registered`);
  return found;
}

function message(type: DescMessage, text: string): ReflectMessage {
  const made = reflect(type);
  const field = type.field['text'];
  invariant(field !== undefined, 'a network type has a text');
  made.set(field, text);
  return made;
}

function address(text: string): Address {
  const parsed = parseAddress(text);
  if (parsed === undefined) throw new Error(`not an IP address: ${text}`);
  return parsed;
}

function range(text: string): Range {
  const parsed = parseRange(text);
  if (parsed === undefined) throw new Error(`not a CIDR range: ${text}`);
  return parsed;
}

function addressOf(value: ReflectMessage): Address {
  return address(networkText(value));
}

function rangeOf(value: ReflectMessage): Range {
  return range(networkText(value));
}

function rangeText({ address: base, prefix }: Range): string {
  return `${addressText(base)}/${prefix}`;
}
