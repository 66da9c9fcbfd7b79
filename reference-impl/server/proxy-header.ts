import type { Buffer } from 'node:buffer';
import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** A header of the PROXY protocol, versions 1 and 2, as HAProxy's document defines them. */
export interface ProxyHeader {
  readonly version: 'V1' | 'V2';
  /** Bytes it takes. */
  readonly length: number;
  /** The client it names; absent when it speaks for the connection itself, or of no family. */
  readonly client?: Address;
}

export interface Address {
  readonly address: string;
  readonly port: number;
}

/** `none`: other bytes than those of a header. */
export type NoProxyHeader = 'none' | 'malformed' | 'incomplete';

/** What the first bytes of a connection are, as far as they have come. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | NoProxyHeader {
  if (beginsWith(bytes, SIGNATURE_V1)) return parseV1(bytes);
  if (beginsWith(bytes, SIGNATURE_V2)) return parseV2(bytes);
  return 'none';
}

/** Whether they are the signature, or may become it. */
function beginsWith(bytes: Buffer, signature: string): boolean {
  return signature.startsWith(bytes.toString('latin1', 0, signature.length));
}

const SIGNATURE_V1 = 'PROXY ';
const SIGNATURE_V2 = '\r\n\r\n\0\r\nQUIT\n';

/** The longest line that version 1 knows, line end included. */
const LONGEST_V1 = 107;

function parseV1(bytes: Buffer): ProxyHeader | NoProxyHeader {
  const text = bytes.toString('latin1', 0, LONGEST_V1);
  const end = text.indexOf('\r\n');
  if (end === -1) return text.length < LONGEST_V1 && !text.includes('\n') ? 'incomplete' : 'malformed';
  const header = { version: 'V1', length: end + 2 } as const;
  const [, protocol, ...rest] = text.slice(0, end).split(' ');
  if (protocol === 'UNKNOWN') return header;
  const isAddress = FAMILIES_V1[protocol ?? ''];
  const [from = '', to = '', fromPort = '', toPort = '', ...more] = rest;
  if (isAddress === undefined || more.length > 0) return 'malformed';
  if (!isAddress(from) || !isAddress(to) || !isPort(fromPort) || !isPort(toPort)) return 'malformed';
  return { ...header, client: { address: canonical(from), port: Number(fromPort) } };
}

const FAMILIES_V1: Readonly<Record<string, (text: string) => boolean>> = {
  TCP4: isIPv4,
  // A zone is of the machine that wrote it.
  TCP6: (text) => isIPv6(text) && !text.includes('%'),
};

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;
}

/** Version, command, family and length of what follows, after the signature. */
const HEAD_V2 = SIGNATURE_V2.length + 4;

/** Bytes taken behind that; addresses and what balancers add to them have room enough. */
const LONGEST_V2 = 512;

function parseV2(bytes: Buffer): ProxyHeader | NoProxyHeader {
  if (bytes.length < HEAD_V2)
    return bytes.length > 12 && !COMMANDS.has(bytes.readUInt8(12)) ? 'malformed' : 'incomplete';
  const family = FAMILIES_V2.get(bytes.readUInt8(13));
  const size = bytes.readUInt16BE(14);
  const command = bytes.readUInt8(12);
  if (!COMMANDS.has(command) || family === undefined || size > LONGEST_V2) return 'malformed';
  const length = HEAD_V2 + size;
  if (bytes.length < length) return 'incomplete';
  const header = { version: 'V2', length } as const;
  // What a LOCAL connection says of addresses is not for anybody.
  if (command === LOCAL) return header;
  const body = bytes.subarray(HEAD_V2, length);
  if (size < family.size || !areAdditions(body.subarray(family.size))) return 'malformed';
  return family.client === undefined ? header : { ...header, client: family.client(body) };
}

const LOCAL = 0x20;
const COMMANDS: ReadonlySet<number> = new Set([LOCAL, 0x21]);

interface Family {
  /** Bytes of both addresses and both ports. */
  readonly size: number;
  readonly client?: (body: Buffer) => Address;
}

const IPV4: Family = {
  size: 12,
  client: (body) => ({ address: [...body.subarray(0, 4)].join('.'), port: body.readUInt16BE(8) }),
};
const IPV6: Family = {
  size: 36,
  client: (body) => {
    const groups = [0, 2, 4, 6, 8, 10, 12, 14].map((at) => body.readUInt16BE(at).toString(16));
    return { address: canonical(groups.join(':')), port: body.readUInt16BE(32) };
  },
};

/** By family and transport; a datagram is as good as a stream. Names of files are nobody's address and are refused. */
const FAMILIES_V2: ReadonlyMap<number, Family> = new Map([
  [0x00, { size: 0 }],
  [0x11, IPV4],
  [0x12, IPV4],
  [0x21, IPV6],
  [0x22, IPV6],
]);

/** Type, length and value, one behind the other, up to the end. Nobody here asks what they say. */
function areAdditions(bytes: Buffer): boolean {
  let at = 0;
  while (at + 3 <= bytes.length) at += 3 + bytes.readUInt16BE(at + 1);
  return at === bytes.length;
}

/** One spelling for each address; an IPv4 address in IPv6 is that IPv4 address. */
function canonical(address: string): string {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return new SocketAddress({ address, family }).address.replace(/^::ffff:(?=\d+\.)/, '');
}
