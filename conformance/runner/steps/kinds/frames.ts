import { z } from 'zod';
import { orPlaceholder } from '../authoring.ts';
import { bytesOf, bytesSchema, whereShape } from '../http-input.ts';
import { ERRORS, FLAGS, frameBytes, headerBlock, SETTINGS, TYPES, type Frame } from '../http2-frames.ts';
import { frameExchange, type FramePart } from '../http2-frame-client.ts';
import type { Observation, StepContext, StepDefinition } from '../step.ts';
import { targetOf } from '../target.ts';
import { tlsClientSchema } from '../tls-client.ts';

const stream = orPlaceholder(z.int().min(0)).describe('number of the stream; clients take odd ones');
const end = z.literal(true).optional().describe('the last frame of the stream');
const fields = z.record(z.string(), z.union([z.string(), z.number()]));
const held = bytesSchema.optional().describe('what the frame holds; nothing when absent');

const headersFrame = z.strictObject({
  stream,
  fields: fields.optional().describe('name to value, in this order; a request to / of the host when absent'),
  more: fields.optional().describe('names and values behind those'),
  end,
  split: z.int().min(1).optional().describe('sends the block in HEADERS and this many CONTINUATION frames'),
});

const settings = z.strictObject(
  Object.fromEntries(
    SETTINGS.map((name) => [name, orPlaceholder(z.int().min(0)).optional().describe(`value of SETTINGS_${name}`)]),
  ),
);

const reset = z.strictObject({ stream, code: z.enum(ERRORS).optional().describe('error code; CANCEL when absent') });

const window = z.strictObject({
  stream,
  increment: orPlaceholder(z.int().min(0)).describe('bytes by which the window grows'),
});

const plain = z.strictObject({
  type: z.int().min(0).max(255).describe('number of the type'),
  flags: z.int().min(0).max(255).optional().describe('all flags as one number; 0 when absent'),
  stream,
  payload: held,
});

const part = z.union([
  z.strictObject({ headers: headersFrame.describe('a HEADERS frame') }),
  z.strictObject({ data: z.strictObject({ stream, body: held, end }).describe('a DATA frame') }),
  z.strictObject({ settings: settings.describe('a SETTINGS frame, such as { INITIAL_WINDOW_SIZE: 0 }') }),
  z.strictObject({ ping: z.string().length(8).describe('a PING frame with these eight characters') }),
  z.strictObject({ reset: reset.describe('an RST_STREAM frame') }),
  z.strictObject({ window: window.describe('a WINDOW_UPDATE frame') }),
  z.strictObject({ goaway: z.enum(ERRORS).describe('a GOAWAY frame with this error code') }),
  z.strictObject({ frame: plain.describe('any frame, by numbers') }),
  z.strictObject({ bytes: bytesSchema.describe('what is no frame, as it stands') }),
  z.strictObject({
    await: z.enum(TYPES).describe('waits until another frame of this type has come before the next part is sent'),
  }),
]);

const schema = z.strictObject({
  send: z.array(part).optional().describe('what is sent behind the preface and empty settings, one after another'),
  preface: z.literal(false).optional().describe('sends neither the preface nor settings'),
  answers: z.literal(false).optional().describe('leaves settings and pings of the other side unanswered'),
  pongs: z.int().min(1).optional().describe('answers so many pings of the other side and leaves later ones unanswered'),
  until: z
    .union([z.enum(TYPES), z.literal('close'), z.literal('end')])
    .optional()
    .describe(
      'end (default): until a stream has come to its end; close: until the connection closes; or the type of a frame',
    ),
  count: z.int().min(1).optional().describe('how many such frames; 1 when absent'),
  tls: tlsClientSchema.optional().describe('speaks TLS'),
  host: whereShape.host,
  port: whereShape.port,
  listener: whereShape.listener,
});

type FramesInput = z.infer<typeof schema>;

/** Speaks HTTP/2 frame by frame. */
export const frames: StepDefinition<FramesInput> = {
  name: 'frames',
  text: 'Sends frames of HTTP/2 as written over an own connection and gathers the frames that come back.',
  schema,
  expectKeys: [
    /** {type, stream, flags, length}, and what it says: settings, ack, code, increment, status, body. */
    'frames',
    /** The settings the other side announced. */
    'settings',
    /** Of the last HEADERS that had one. */
    'status',
    /** What its DATA frames hold together. */
    'body',
    /** The code of its GOAWAY, and those of its RST_STREAM by stream. */
    'goaway',
    'resets',
    /** By how much it widened the window of the connection. */
    'connectionWindow',
    'closed',
    'handshake',
    'gates',
    'elapsedMs',
    'failure',
  ],
  run,
  describe: ({ send = [] }) => `frames ${JSON.stringify(send).slice(0, 60)}`,
};

async function run(input: FramesInput, context: StepContext): Promise<Observation> {
  const authority = input.host ?? context.host;
  const asksClose = context.expect['closed'] === true;
  const options = {
    ...targetOf(input, context),
    authority,
    tls: input.tls,
    preface: input.preface !== false,
    answers: input.answers !== false,
    pongs: input.pongs ?? Infinity,
    until: input.until ?? (asksClose ? 'close' : 'end'),
    count: input.count ?? 1,
  };
  return frameExchange(
    (input.send ?? []).flatMap((one) => sendable(one, authority, input.tls !== undefined)),
    options,
    context,
  );
}

function sendable(one: z.infer<typeof part>, authority: string, tls: boolean): readonly FramePart[] {
  if ('await' in one) return [{ await: one.await }];
  if ('bytes' in one) return [{ bytes: bytesOf(one.bytes) ?? Buffer.alloc(0) }];
  return framesOf(one, authority, tls).map((each) => ({ bytes: frameBytes(each) }));
}

type Sendable = Exclude<z.infer<typeof part>, { await: unknown } | { bytes: unknown }>;

function framesOf(one: Sendable, authority: string, tls: boolean): readonly Frame[] {
  if ('headers' in one) return headerFrames(one.headers, authority, tls);
  if ('data' in one) {
    const payload = bytesOf(one.data.body ?? null) ?? Buffer.alloc(0);
    return [frame('DATA', one.data.stream, payload, one.data.end === true ? FLAGS.END_STREAM : 0)];
  }
  if ('settings' in one) return [frame('SETTINGS', 0, settingsPayload(one.settings))];
  if ('ping' in one) return [frame('PING', 0, Buffer.from(one.ping, 'latin1'))];
  if ('reset' in one)
    return [frame('RST_STREAM', one.reset.stream, uint32(ERRORS.indexOf(one.reset.code ?? 'CANCEL')))];
  if ('window' in one) return [frame('WINDOW_UPDATE', one.window.stream, uint32(Number(one.window.increment)))];
  if ('goaway' in one) return [frame('GOAWAY', 0, Buffer.concat([uint32(0), uint32(ERRORS.indexOf(one.goaway))]))];
  const { type, flags = 0, stream: number, payload } = one.frame;
  return [{ type, flags, stream: Number(number), payload: bytesOf(payload ?? null) ?? Buffer.alloc(0) }];
}

type HeadersPart = z.infer<typeof headersFrame>;

function headerFrames(headers: HeadersPart, authority: string, tls: boolean): readonly Frame[] {
  const usual = { ':method': 'GET', ':scheme': tls ? 'https' : 'http', ':authority': authority, ':path': '/' };
  const named = { ...(headers.fields ?? usual), ...headers.more };
  const block = headerBlock(Object.entries(named).map(([name, value]) => [name, String(value)] as const));
  const ends = headers.end === true ? FLAGS.END_STREAM : 0;
  const { split = 0 } = headers;
  if (split === 0) return [frame('HEADERS', headers.stream, block, FLAGS.END_HEADERS | ends)];
  const size = Math.ceil(block.length / (split + 1));
  const pieces = Array.from({ length: split }, (_, at) => block.subarray((at + 1) * size, (at + 2) * size));
  return [
    frame('HEADERS', headers.stream, block.subarray(0, size), ends),
    ...pieces.map((piece, at) =>
      frame('CONTINUATION', headers.stream, piece, at === split - 1 ? FLAGS.END_HEADERS : 0),
    ),
  ];
}

function frame(type: (typeof TYPES)[number], number: number | string, payload: Buffer, flags = 0): Frame {
  return { type: TYPES.indexOf(type), flags, stream: Number(number), payload };
}

function settingsPayload(values: z.infer<typeof settings>): Buffer {
  const entries = SETTINGS.flatMap((name, at) => (values[name] === undefined ? [] : [[at + 1, Number(values[name])]]));
  return Buffer.concat(entries.map(([id = 0, value = 0]) => Buffer.concat([Buffer.from([0, id]), uint32(value)])));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
