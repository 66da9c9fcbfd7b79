import { Buffer } from 'node:buffer';
import { constants } from 'node:http2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  policy,
  simpleSetup,
  startDataPlane,
  startUpstream,
  type DataPlane,
  type Upstream,
} from '../support/data-plane.ts';
import {
  ACK,
  block,
  CONTINUATION,
  converse,
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  GOAWAY,
  HEADERS,
  number,
  PADDED,
  PING,
  PREFACE,
  PRIORITY,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  settings,
  WINDOW_UPDATE,
  WITH_PRIORITY,
  type Frame,
  type Later,
} from '../support/http2-frames.ts';

const GET = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':path', '/'],
  [':authority', 'a.test'],
] as const;
const POST = [[':method', 'POST'], ...GET.slice(1)] as const;

const request = (stream: number, flags = END_STREAM | END_HEADERS, fields: Fields = GET): Buffer =>
  frame(HEADERS, flags, stream, block(...fields));
/** A request whose body is still to come. */
const open = (stream: number, fields: Fields = POST): Buffer => request(stream, END_HEADERS, fields);
const ping = frame(PING, 0, 0, '12345678');
type Fields = readonly (readonly [string, string])[];

/** What a row sends behind the preface and its settings. */
type Sent = readonly Buffer[];
type Borne = readonly [section: string, what: string, sent: Sent];
type Row = readonly [...Borne, code: string];

/**
 * The connection ends with this code. RFC 9113, section 5.4, lets an endpoint treat an error of a stream as one of the connection, and it may
 * close the connection without a word.
 */
const ENDED: readonly Row[] = [
  ['4.2', 'DATA larger than a frame may be', [open(1), frame(DATA, END_STREAM, 1, 'x'.repeat(16_385))], 'FRAME_SIZE'],
  [
    '4.2',
    'HEADERS larger than a frame may be',
    [frame(HEADERS, 5, 1, block(...GET, ['x', 'y'.repeat(16_400)]))],
    'FRAME_SIZE',
  ],
  ['4.3', 'a header block that is none', [frame(HEADERS, 5, 1, '\x40\xff\xff\xff\xff\xff')], 'COMPRESSION'],
  [
    '4.3',
    'PRIORITY inside a header block',
    [request(1, END_STREAM), frame(PRIORITY, 0, 1, '\0\0\0\0\x0f')],
    'PROTOCOL',
  ],
  ['4.3', 'HEADERS of another stream inside a header block', [request(1, END_STREAM), request(3)], 'PROTOCOL'],
  ['5.1', 'DATA on an idle stream', [frame(DATA, END_STREAM, 1, 'x')], 'PROTOCOL'],
  ['5.1', 'RST_STREAM on an idle stream', [frame(RST_STREAM, 0, 1, number(8))], 'PROTOCOL'],
  ['5.1', 'WINDOW_UPDATE on an idle stream', [frame(WINDOW_UPDATE, 0, 1, number(100))], 'PROTOCOL'],
  ['5.1', 'CONTINUATION on an idle stream', [frame(CONTINUATION, END_HEADERS, 1, block(...GET))], 'PROTOCOL'],
  [
    '5.1',
    'CONTINUATION behind a whole request',
    [request(1), frame(CONTINUATION, END_HEADERS, 1, block())],
    'PROTOCOL',
  ],
  [
    '5.1',
    'CONTINUATION behind RST_STREAM',
    [open(1), frame(RST_STREAM, 0, 1, number(8)), frame(CONTINUATION, 4, 1)],
    'PROTOCOL',
  ],
  [
    '5.1',
    'DATA behind RST_STREAM',
    [open(1), frame(RST_STREAM, 0, 1, number(8)), frame(DATA, END_STREAM, 1, 'x')],
    'STREAM_CLOSED',
  ],
  ['5.1', 'HEADERS behind RST_STREAM', [open(1), frame(RST_STREAM, 0, 1, number(8)), request(1)], 'STREAM_CLOSED'],
  ['5.1', 'DATA behind a whole request', [request(1), frame(DATA, END_STREAM, 1, 'x')], 'STREAM_CLOSED'],
  ['5.1', 'HEADERS behind a whole request', [request(1), request(1)], 'STREAM_CLOSED'],
  ['5.1.1', 'a stream with an even number', [request(2)], 'PROTOCOL'],
  ['5.1.1', 'a stream with a smaller number than the one before', [open(5), request(3)], 'PROTOCOL'],
  ['5.1.1', 'a stream that was passed over', [request(5), open(3)], 'PROTOCOL'],
  [
    '5.5',
    'a frame of an unknown type inside a header block',
    [request(1, END_STREAM), frame(0x16, 0, 1, 'x')],
    'PROTOCOL',
  ],
  ['6.1', 'DATA on stream 0', [frame(DATA, 0, 0, 'x')], 'PROTOCOL'],
  [
    '6.1',
    'DATA with more padding than there is',
    [open(1), frame(DATA, PADDED | END_STREAM, 1, '\x06test')],
    'PROTOCOL',
  ],
  ['6.2', 'HEADERS on stream 0', [request(0)], 'PROTOCOL'],
  [
    '6.2',
    'HEADERS with more padding than there is',
    [frame(HEADERS, PADDED | 5, 1, Buffer.concat([Buffer.from([255]), block(...GET)]))],
    'PROTOCOL',
  ],
  ['6.3', 'PRIORITY on stream 0', [frame(PRIORITY, 0, 0, '\0\0\0\0\x0f')], 'PROTOCOL'],
  ['6.3', 'PRIORITY of a stream that depends on itself', [frame(PRIORITY, 0, 3, '\0\0\0\x03\x0f')], 'PROTOCOL'],
  ['6.4', 'RST_STREAM on stream 0', [frame(RST_STREAM, 0, 0, number(8))], 'PROTOCOL'],
  ['6.4', 'RST_STREAM of three bytes', [open(1), frame(RST_STREAM, 0, 1, '\0\0\x08')], 'FRAME_SIZE'],
  ['6.5', 'SETTINGS with ACK that say something', [frame(SETTINGS, ACK, 0, '\0')], 'FRAME_SIZE'],
  ['6.5', 'SETTINGS on a stream', [frame(SETTINGS, 0, 1)], 'PROTOCOL'],
  ['6.5', 'SETTINGS of five bytes', [frame(SETTINGS, 0, 0, '\0\x03\0\0\0')], 'FRAME_SIZE'],
  ['6.5.2', 'ENABLE_PUSH of 2', [settings([2, 2])], 'PROTOCOL'],
  ['6.5.2', 'INITIAL_WINDOW_SIZE beyond the largest', [settings([4, 0x80_00_00_00])], 'FLOW_CONTROL'],
  ['6.5.2', 'MAX_FRAME_SIZE below the smallest', [settings([5, 16_383])], 'PROTOCOL'],
  ['6.5.2', 'MAX_FRAME_SIZE beyond the largest', [settings([5, 16_777_216])], 'PROTOCOL'],
  ['6.7', 'PING on a stream', [frame(PING, 0, 1, '12345678')], 'PROTOCOL'],
  ['6.7', 'PING of six bytes', [frame(PING, 0, 0, '123456')], 'FRAME_SIZE'],
  ['6.8', 'GOAWAY on a stream', [frame(GOAWAY, 0, 1, Buffer.alloc(8))], 'PROTOCOL'],
  ['6.9', 'WINDOW_UPDATE of 0 for the connection', [frame(WINDOW_UPDATE, 0, 0, number(0))], 'PROTOCOL'],
  ['6.9', 'WINDOW_UPDATE of three bytes', [frame(WINDOW_UPDATE, 0, 0, '\0\0\x01')], 'FRAME_SIZE'],
  [
    '6.9.1',
    'a connection window beyond the largest',
    [frame(WINDOW_UPDATE, 0, 0, number(0x7f_ff_ff_ff)), frame(WINDOW_UPDATE, 0, 0, number(0x7f_ff_ff_ff))],
    'FLOW_CONTROL',
  ],
  [
    '6.10',
    'CONTINUATION of another stream',
    [request(1, END_STREAM), frame(CONTINUATION, END_HEADERS, 3, block())],
    'PROTOCOL',
  ],
  [
    '6.10',
    'CONTINUATION on stream 0',
    [request(1, END_STREAM), frame(CONTINUATION, END_HEADERS, 0, block())],
    'PROTOCOL',
  ],
  [
    '6.10',
    'DATA inside a header block',
    [frame(HEADERS, 0, 1, block(...POST)), frame(DATA, END_STREAM, 1, 'x')],
    'PROTOCOL',
  ],
  [
    '6.10',
    'CONTINUATION behind DATA',
    [open(1), frame(DATA, END_STREAM, 1, 'x'), frame(CONTINUATION, END_HEADERS, 1, block())],
    'PROTOCOL',
  ],
  [
    '8.4',
    'PUSH_PROMISE of a client',
    [request(1, END_HEADERS), frame(PUSH_PROMISE, END_HEADERS, 1, Buffer.concat([number(2), block(...GET)]))],
    'PROTOCOL',
  ],
  [
    'hpack 2.3.3',
    'an index behind the tables',
    [frame(HEADERS, 5, 1, Buffer.concat([block(...GET), Buffer.from([0xc6])]))],
    'COMPRESSION',
  ],
  [
    'hpack 2.3.3',
    'an index behind the tables as a name',
    [frame(HEADERS, 5, 1, Buffer.concat([block(...GET), Buffer.from([0x7f, 0x07, 1, 120])]))],
    'COMPRESSION',
  ],
  [
    'hpack 4.2',
    'a size of the table at the end of a block',
    [frame(HEADERS, 5, 1, Buffer.concat([block(...GET), Buffer.from([0x21])]))],
    'COMPRESSION',
  ],
  [
    'hpack 5.2',
    'a Huffman text padded with more than seven bits',
    [frame(HEADERS, 5, 1, huffman('\x07\x4f\x83\xff\xff'))],
    'COMPRESSION',
  ],
  ['hpack 5.2', 'a Huffman text padded with zeros', [frame(HEADERS, 5, 1, huffman('\x18'))], 'COMPRESSION'],
  [
    'hpack 5.2',
    'a Huffman text with the end of text in it',
    [frame(HEADERS, 5, 1, huffman('\xff\xff\xff\xff'))],
    'COMPRESSION',
  ],
  [
    'hpack 6.1',
    'the index 0',
    [frame(HEADERS, 5, 1, Buffer.concat([block(...GET), Buffer.from([0x80])]))],
    'COMPRESSION',
  ],
  [
    'hpack 6.3',
    'a size of the table beyond what was announced',
    [frame(HEADERS, 5, 1, Buffer.concat([Buffer.from([0x3f, 0xe1, 0xff, 3]), block(...GET)]))],
    'COMPRESSION',
  ],
];

/** The stream ends with this code, or the connection does (of bodies that are too long with the code of Node's own). */
const RESET: readonly Row[] = [
  ['6.3', 'PRIORITY of four bytes', [open(1), frame(PRIORITY, 0, 1, '\x80\0\0\x01')], 'FRAME_SIZE'],
  ['6.9', 'WINDOW_UPDATE of 0 for a stream', [open(1), frame(WINDOW_UPDATE, 0, 1, number(0))], 'PROTOCOL'],
  [
    '6.9.1',
    'the window of a stream beyond the largest',
    [open(1), frame(WINDOW_UPDATE, 0, 1, number(0x7f_ff_ff_ff)), frame(WINDOW_UPDATE, 0, 1, number(0x7f_ff_ff_ff))],
    'FLOW_CONTROL',
  ],
  [
    '8.1',
    'trailers that do not end the stream',
    [open(1), frame(HEADERS, END_HEADERS, 1, block(['x-sum', '1']))],
    'PROTOCOL',
  ],
  [
    '8.1.1',
    'a body longer than its length',
    [open(1, [...POST, ['content-length', '1']]), frame(DATA, END_STREAM, 1, 'xx')],
    'PROTOCOL|INTERNAL',
  ],
  [
    '8.1.1',
    'a body in two frames shorter than its length',
    [open(1, [...POST, ['content-length', '9']]), frame(DATA, 0, 1, 'x'), frame(DATA, END_STREAM, 1, 'x')],
    'PROTOCOL',
  ],
  ['8.2', 'a name with a capital', [request(1, 5, [...GET, ['X-Test', '1']])], 'PROTOCOL'],
  ['8.2.2', 'a field of a connection', [request(1, 5, [...GET, ['connection', 'keep-alive']])], 'PROTOCOL'],
  ['8.2.2', 'te that is not trailers', [request(1, 5, [...GET, ['te', 'trailers, deflate']])], 'PROTOCOL'],
  ['8.3', 'an unknown pseudo-header', [request(1, 5, [...GET, [':test', '1']])], 'PROTOCOL'],
  ['8.3', 'a pseudo-header of answers', [request(1, 5, [...GET, [':status', '200']])], 'PROTOCOL'],
  ['8.3', 'a pseudo-header among trailers', [open(1), frame(HEADERS, 5, 1, block([':method', 'GET']))], 'PROTOCOL'],
  ['8.3', 'a pseudo-header behind another field', [request(1, 5, [['x', '1'], ...GET])], 'PROTOCOL'],
  ['8.3.1', 'an empty :path', [request(1, 5, [...GET.slice(0, 2), [':path', ''], ...GET.slice(3)])], 'PROTOCOL'],
  ['8.3.1', 'no :method', [request(1, 5, GET.slice(1))], 'PROTOCOL'],
  ['8.3.1', 'no :scheme', [request(1, 5, [...GET.slice(0, 1), ...GET.slice(2)])], 'PROTOCOL'],
  ['8.3.1', 'no :path', [request(1, 5, [...GET.slice(0, 2), ...GET.slice(3)])], 'PROTOCOL'],
  ['8.3.1', 'two :method', [request(1, 5, [[':method', 'GET'], ...GET])], 'PROTOCOL'],
  ['8.3.1', 'two :scheme', [request(1, 5, [[':scheme', 'http'], ...GET])], 'PROTOCOL'],
  ['8.3.1', 'two :path', [request(1, 5, [[':path', '/'], ...GET])], 'PROTOCOL'],
];

/** The connection goes on: it answers a PING behind all that. */
const BORNE: readonly Borne[] = [
  ['4.1', 'a frame of an unknown type', [frame(0x16, 0, 0, 'x'.repeat(8))]],
  ['4.1', 'flags that are not defined', [frame(PING, 0x16, 0, 'abcdefgh')]],
  ['4.1', 'the reserved bit of a stream number', [frame(PING, 0, 0x80_00_00_00, 'abcdefgh')]],
  ['5.1', 'PRIORITY on an idle stream', [frame(PRIORITY, 0, 1, '\0\0\0\0\x0f')]],
  ['6.5.2', 'a setting nobody knows', [settings([0xff, 1])]],
  ['6.5.3', 'a setting twice', [settings([4, 100], [4, 1])]],
  ['7', 'RST_STREAM with an unknown code', [open(1), frame(RST_STREAM, 0, 1, number(0xff))]],
];

/** Stream 1 is answered 200. */
const SERVED: readonly Borne[] = [
  ['4.2', 'DATA of the largest size', [open(1), frame(DATA, END_STREAM, 1, 'x'.repeat(16_384))]],
  ['5.1', 'WINDOW_UPDATE on a stream that is half closed', [request(1), frame(WINDOW_UPDATE, 0, 1, number(1))]],
  ['5.1', 'PRIORITY on a stream that is half closed', [request(1), frame(PRIORITY, 0, 1, '\0\0\0\0\x0f')]],
  ['6.1', 'DATA with padding', [open(1), frame(DATA, PADDED | END_STREAM, 1, '\x02test\0\0')]],
  [
    '6.2',
    'HEADERS with padding',
    [frame(HEADERS, PADDED | 5, 1, Buffer.concat([Buffer.from([2]), block(...GET), Buffer.alloc(2)]))],
  ],
  [
    '6.2',
    'HEADERS with a priority',
    [frame(HEADERS, WITH_PRIORITY | 5, 1, Buffer.concat([Buffer.from('\0\0\0\0\xff', 'latin1'), block(...GET)]))],
  ],
  [
    '6.10',
    'a request in HEADERS and two CONTINUATION',
    [
      frame(HEADERS, END_STREAM, 1, block(...GET)),
      frame(CONTINUATION, 0, 1, block(['x-1', '1'])),
      frame(CONTINUATION, END_HEADERS, 1, block(['x-2', '2'])),
    ],
  ],
  ['8.1', 'a request with trailers', [open(1), frame(DATA, 0, 1, 'x'), frame(HEADERS, 5, 1, block(['x-sum', '1']))]],
  ['8.2.2', 'te: trailers', [request(1, 5, [...GET, ['te', 'trailers']])]],
  ['8.2.3', 'cookies in pieces', [request(1, 5, [...GET, ['cookie', 'a=1'], ['cookie', 'b=2']])]],
  [
    'hpack 2.3',
    'fields of the static table',
    [frame(HEADERS, 5, 1, Buffer.concat([Buffer.from([0x82, 0x86, 0x84, 1, 1, 97]), block(['x', '1'])]))],
  ],
  [
    'hpack 4.2',
    'a size of the table at the beginning of a block',
    [frame(HEADERS, 5, 1, Buffer.concat([Buffer.from([0x20]), block(...GET)]))],
  ],
];

/** A request with a field whose value is in Huffman's code. */
function huffman(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([block(...GET), Buffer.from([0, 1, 120, 0x80 | bytes.length]), bytes]);
}

describe('RFC 9113 and RFC 7541, what a client may not do and what it may', () => {
  let upstream: Upstream;
  let plane: DataPlane;
  beforeAll(async () => {
    upstream = await startUpstream((_, response) => response.writeHead(200, { 'content-length': 5 }).end('hello'));
    plane = await startDataPlane((port) => [
      ...simpleSetup(port, upstream.port),
      policy('ProxyBackend', { backend: { http: { version: 'HTTP1' } } }),
    ]);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
  });

  const send = (sent: Sent, enough: (frames: readonly Frame[]) => boolean, later?: Later) =>
    converse(plane.port, Buffer.concat([Buffer.from(PREFACE), settings(), ...sent]), enough, later);

  it.each(ENDED)('%s: %s ends the connection', async (_section, _what, sent, code) => {
    const heard = await send(sent, () => false);
    expect(heard.closed).toBe(true);
    expect(goawayOf(heard.frames)).toMatch(new RegExp(`^(${code})`));
  });

  it.each(RESET)('%s: %s ends the stream', async (_section, _what, sent, code) => {
    const heard = await send(sent, (frames) => frames.some(isReset));
    const codes = [goawayOf(heard.frames), ...heard.frames.filter(isReset).map(({ payload }) => nameOf(payload, 0))];
    expect(codes.join()).toMatch(new RegExp(`^,?(${code})`));
  });

  it.each(BORNE)('%s: %s is borne', async (_section, _what, sent) => {
    const heard = await send([...sent, ping], (frames) => frames.some(isPong));
    expect(heard).toMatchObject({ closed: false });
    expect(heard.frames.filter(isReset)).toEqual([]);
  });

  it.each(SERVED)('%s: %s is served', async (_section, _what, sent) => {
    const heard = await send(sent, (frames) => bodyOf(frames) === 'hello');
    expect(heard).toMatchObject({ closed: false });
    const head = heard.frames.find(({ type, stream }) => type === HEADERS && stream === 1);
    // 200 has a place of its own in the static table.
    expect(head?.payload.includes(0x88)).toBe(true);
  });

  it('6.9.1: a window of a stream beyond the largest ends that stream alone', async () => {
    const widen = frame(WINDOW_UPDATE, 0, 1, number(0x7f_ff_ff_ff));
    const heard = await send([open(1), widen, widen, request(3)], (frames) => bodyOf(frames) === 'hello');
    expect(heard.closed).toBe(false);
    const resets = heard.frames.filter(isReset).map(({ stream, payload }) => [stream, nameOf(payload, 0)]);
    expect(resets).toEqual([[1, 'FLOW_CONTROL_ERROR']]);
  });

  it('3.4: the first word of the server is SETTINGS, and those of the client are acknowledged', async () => {
    const heard = await send([], (frames) => frames.some(({ type, flags }) => type === SETTINGS && flags === ACK));
    expect(heard.frames[0]).toMatchObject({ type: SETTINGS, flags: 0, stream: 0 });
    expect(heard.closed).toBe(false);
  });

  it('3.4: what begins like a preface and is none ends the connection', async () => {
    const heard = await converse(plane.port, 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n', () => false);
    expect(heard.closed).toBe(true);
  });

  it('3.4: a preface without SETTINGS behind it ends the connection', async () => {
    const heard = await converse(plane.port, Buffer.concat([Buffer.from(PREFACE), ping, request(1)]), () => false);
    expect(goawayOf(heard.frames)).toBe('PROTOCOL_ERROR');
  });

  it('6.7: PING is answered with what it says', async () => {
    const heard = await send([ping], (frames) => frames.some(isPong));
    expect(heard.frames.find(isPong)?.payload.toString('latin1')).toBe('12345678');
  });

  it('6.7: PING with ACK that nobody asked for is not answered, and the connection goes on until there are too many', async () => {
    const unasked = frame(PING, ACK, 0, 'abcdefgh');
    const heard = await send([unasked, ping], (frames) => frames.some(isPong));
    expect(heard.closed).toBe(false);
    const flood = await send([...Array.from({ length: 101 }, () => unasked), ping], () => false);
    expect(flood.closed).toBe(true);
    expect(heard.frames.filter(({ payload }) => payload.toString('latin1') === 'abcdefgh')).toEqual([]);
  });

  it('5.1: what was under way for a stream that the proxy ended is no error, nor is what follows on others', async () => {
    const refused = request(1, END_HEADERS, [...POST, ['host', 'other.test']]);
    const begun = [refused, open(3), ping];
    const rest = [frame(DATA, 0, 1, 'x'), frame(HEADERS, 5, 1, block(['x-sum', '1'])), frame(DATA, END_STREAM, 3, 'x')];
    const heard = await send(begun, (frames) => bodyOf(frames).endsWith('hello'), {
      when: (frames) => frames.some(isReset),
      bytes: Buffer.concat(rest),
    });
    expect(heard.closed).toBe(false);
    expect(goawayOf(heard.frames)).toBe('');
  });

  it('6.9: no more is sent than the window of the stream has room for, and the rest when it has', async () => {
    const opened = Buffer.concat([settings([4, 1]), request(1)]);
    const first = await send([opened, ping], (frames) => bodyOf(frames) !== '' && frames.some(isPong));
    expect(bodyOf(first.frames)).toBe('h');
    const rest = await send([opened, frame(WINDOW_UPDATE, 0, 1, number(4))], (frames) => bodyOf(frames) === 'hello');
    expect(rest.closed).toBe(false);
    const wider = await send([settings([4, 0]), request(1), settings([4, 5])], (frames) => bodyOf(frames) === 'hello');
    expect(wider.closed).toBe(false);
  });

  it('5.1.2: a stream beyond the most that may be open is refused, and the others are served', async () => {
    const streams = Array.from({ length: 260 }, (_, index) => open(2 * index + 1));
    const heard = await send([...streams, ping], (frames) => frames.some(isPong));
    const refused = heard.frames.filter(isReset).map(({ stream, payload }) => [stream, nameOf(payload, 0)]);
    expect(refused.length === 10 || heard.closed).toBe(true);
    for (const [stream, code] of refused) expect([Number(stream) > 500, code]).toEqual([true, 'REFUSED_STREAM']);
  });

  it('and after all of it others are served', async () => {
    const heard = await send([request(1)], (frames) => bodyOf(frames) === 'hello');
    expect(heard.closed).toBe(false);
    expect(plane.logged.filter(({ message }) => message === 'request handling failed')).toEqual([]);
  });
});

const isReset = ({ type }: Frame): boolean => type === RST_STREAM;
const isPong = ({ type, flags, payload }: Frame): boolean =>
  type === PING && flags === ACK && payload.toString('latin1') === '12345678';

function bodyOf(frames: readonly Frame[]): string {
  return frames.map(({ type, payload }) => (type === DATA ? payload.toString('latin1') : '')).join('');
}

function goawayOf(frames: readonly Frame[]): string {
  const last = frames.findLast(({ type }) => type === GOAWAY);
  return last === undefined ? '' : nameOf(last.payload, 4);
}

function nameOf(payload: Buffer, at: number): string {
  const code = payload.readUInt32BE(at);
  const [name] = CODES.find(([, value]) => value === code) ?? [String(code)];
  return name.replace('NGHTTP2_', '');
}

const CODES = Object.entries(constants).filter(
  ([name]) =>
    /^NGHTTP2_(?:\w+_ERROR|NO_ERROR|STREAM_CLOSED|REFUSED_STREAM|CANCEL|ENHANCE_YOUR_CALM)$/.test(name) &&
    !name.includes('_ERR_'),
);
