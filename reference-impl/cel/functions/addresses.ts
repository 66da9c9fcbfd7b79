/** An IPv4 (32 bits) or IPv6 (128 bits) address as a number. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface Range {
  readonly address: Address;
  readonly prefix: number;
}

/**
 * Strict: four decimal parts without leading zeros, or IPv6 text without a zone. An IPv4 address carried in IPv6
 * (`::ffff:1.2.3.4`) counts as the IPv4 address it is. Undefined for anything else.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.length > MAX_TEXT) return undefined;
  if (!text.includes(':')) {
    const value = parseV4(text);
    return value === undefined ? undefined : { bits: 32, value };
  }
  const value = parseV6(text);
  if (value === undefined) return undefined;
  return value >> 32n === MAPPED_PREFIX ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value };
}

/** `address/prefix length`, the length without leading zeros. Undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  const [base, length, ...more] = text.split('/');
  const address = parseAddress(base ?? '');
  if (address === undefined || length === undefined || more.length > 0) return undefined;
  if (!/^(0|[1-9][0-9]{0,2})$/.test(length)) return undefined;
  // A mapped range counts its prefix from the start of the IPv6 form.
  const prefix = Number(length) - (address.bits === 32 && base?.includes(':') ? 96 : 0);
  return prefix >= 0 && prefix <= address.bits ? { address, prefix } : undefined;
}

/** RFC 5952: lower case, no leading zeros, the longest run of zero groups as `::`. */
export function addressText({ bits, value }: Address): string {
  return bits === 32 ? parts(value, 4, 8).join('.') : shortestForm(parts(value, 8, 16));
}

export function containsAddress({ address, prefix }: Range, candidate: Address): boolean {
  const host = BigInt(address.bits - prefix);
  return candidate.bits === address.bits && candidate.value >> host === address.value >> host;
}

export function containsRange(outer: Range, inner: Range): boolean {
  return inner.prefix >= outer.prefix && containsAddress(outer, inner.address);
}

export function isLoopback(address: Address): boolean {
  return address.bits === 32 ? address.value >> 24n === 127n : address.value === 1n;
}

const MAX_TEXT = 45;
const MAPPED_PREFIX = 0xffffn;

function parseV4(text: string): bigint | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^(0|[1-9][0-9]{0,2})$/.test(octet) && Number(octet) < 256)) {
    return undefined;
  }
  return octets.reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array<bigint>(missing).fill(0n), ...(tail ?? [])];
  return groups.reduce((value, group) => (value << 16n) | group, 0n);
}

/** The 16-bit groups of one side of `::`; the last two may be written as an IPv4 address. */
function groupsOf(half: string, isLast: boolean): bigint[] | undefined {
  if (half === '') return [];
  const groups: bigint[] = [];
  const texts = half.split(':');
  for (const [index, text] of texts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(text)) groups.push(BigInt(`0x${text}`));
    else {
      const embedded = isLast && index === texts.length - 1 ? parseV4(text) : undefined;
      if (embedded === undefined) return undefined;
      groups.push(embedded >> 16n, embedded & 0xffffn);
    }
  }
  return groups;
}

function parts(value: bigint, count: number, bits: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt.asUintN(bits, value >> BigInt((count - 1 - index) * bits)));
}

function shortestForm(groups: readonly bigint[]): string {
  let best = { start: 0, length: 1 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === 0n) length += 1;
    if (length > best.length) best = { start, length };
  }
  if (best.length === 1) return hex(groups);
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.length))}`;
}

function hex(groups: readonly bigint[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
