/** One frame of HTTP/2 (RFC 9113, section 4.1), as it stands on the wire. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Types in the order of their numbers. */
export const TYPES = [
  'DATA',
  'HEADERS',
  'PRIORITY',
  'RST_STREAM',
  'SETTINGS',
  'PUSH_PROMISE',
  'PING',
  'GOAWAY',
  'WINDOW_UPDATE',
  'CONTINUATION',
] as const;

export const FLAGS = { END_STREAM: 0x1, ACK: 0x1, END_HEADERS: 0x4, PADDED: 0x8, PRIORITY: 0x20 } as const;

/** Settings by number; the first has number 1. */
export const SETTINGS = [
  'HEADER_TABLE_SIZE',
  'ENABLE_PUSH',
  'MAX_CONCURRENT_STREAMS',
  'INITIAL_WINDOW_SIZE',
  'MAX_FRAME_SIZE',
  'MAX_HEADER_LIST_SIZE',
] as const;

/** Error codes by number. */
export const ERRORS = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
] as const;

/** The bytes of a frame. */
export function frameBytes({ type, flags, stream, payload }: Frame): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The whole frames at the beginning of `bytes`, and what is left. */
export function readFrames(bytes: Buffer): { readonly frames: readonly Frame[]; readonly rest: Buffer } {
  const frames: Frame[] = [];
  let rest = bytes;
  while (rest.length >= 9) {
    const end = 9 + rest.readUIntBE(0, 3);
    if (rest.length < end) break;
    const stream = rest.readUInt32BE(5) % 0x8000_0000;
    frames.push({ type: rest.readUInt8(3), flags: rest.readUInt8(4), stream, payload: rest.subarray(9, end) });
    rest = rest.subarray(end);
  }
  return { frames, rest };
}

/** Fields as literals that no table keeps and nothing shortens (RFC 7541, section 6.2.2). */
export function headerBlock(fields: Iterable<readonly [name: string, value: string]>): Buffer {
  return Buffer.concat([...fields].flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([integer(bytes.length, 7), bytes]);
}

/** RFC 7541, section 5.1 */
function integer(value: number, bits: number): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([value]);
  const bytes = [most];
  for (let left = value - most; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...bytes, left]);
    bytes.push((left % 128) + 128);
  }
}

/** The status in a block whose first field it is, as it must be; undefined where it is told in a way that needs a table. */
export function statusOf(block: Buffer): number | undefined {
  const first = skipTableSizes(block);
  const [byte = 0] = first;
  if (byte >= 0x88 && byte <= 0x8e) return INDEXED[byte - 0x88];
  // A literal whose name is one of the entries 8 to 14, with or without being kept.
  const index = byte >= 0x40 ? byte & 0x3f : byte & 0x0f;
  if (index < 8 || index > 14) return undefined;
  const [length = 0] = first.subarray(1);
  const text = first.subarray(2, 2 + (length & 0x7f));
  return Number(length >= 0x80 ? huffmanDigits(text) : text.toString('latin1'));
}

/** The entries 8 to 14 of the static table. */
const INDEXED = [200, 204, 206, 304, 400, 404, 500] as const;

function skipTableSizes(block: Buffer): Buffer {
  let rest = block;
  while (((rest[0] ?? 0) & 0xe0) === 0x20) {
    let size = 1;
    if (((rest[0] ?? 0) & 0x1f) === 0x1f) while (((rest[size++] ?? 0) & 0x80) !== 0);
    rest = rest.subarray(size);
  }
  return rest;
}

/** Digits as HPACK shortens them: 0 to 2 in five bits, the others in six. */
function huffmanDigits(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.matchAll(/00000|00001|00010|011001|011010|011011|011100|011101|011110|011111/gy);
  return [...digits]
    .map(([code]) => (code.length === 5 ? Number.parseInt(code, 2) : Number.parseInt(code, 2) - 22))
    .join('');
}
