import { z } from 'zod';
import { connectionShape, failureShape } from '../grpc/failure-script.ts';
import { bytesSchema, gateShape, giveUpSchema } from '../script.ts';

/** What a processor is told, in the order of one request. */
export const KINDS = [
  'requestHeaders',
  'requestBody',
  'requestTrailers',
  'responseHeaders',
  'responseBody',
  'responseTrailers',
] as const;
export type Kind = (typeof KINDS)[number];

/** Modes by the names of the resource fields; the protocol numbers them in this order. */
export const BODY_MODES = ['None', 'Streamed', 'Buffered', 'BufferedPartial', 'FullDuplexStreamed'] as const;
export const HEADER_MODES = ['Default', 'Send', 'Skip'] as const;

const headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]), {
  error: 'headers: {name: value or list}',
});
export type Headers = z.infer<typeof headers>;

const mode = z
  .strictObject({
    requestHeaders: z.enum(HEADER_MODES).optional().describe('whether the headers of the request are sent'),
    responseHeaders: z.enum(HEADER_MODES).optional().describe('whether the headers of the response are sent'),
    requestBody: z.enum(BODY_MODES).optional().describe('how the body of the request is sent'),
    responseBody: z.enum(BODY_MODES).optional().describe('how the body of the response is sent'),
    requestTrailers: z.enum(HEADER_MODES).optional().describe('whether the trailers of the request are sent'),
    responseTrailers: z.enum(HEADER_MODES).optional().describe('whether the trailers of the response are sent'),
  })
  .describe('mode_override; what is left out is Default, or None for a body, as the protocol has it');
export type Mode = z.infer<typeof mode>;

const immediate = z.strictObject({
  status: z.int().optional().describe('status of the answer to the client; unset leaves it to the proxy'),
  headers: headers.optional().describe('headers of the answer to the client'),
  body: z.string().optional().describe('body of the answer to the client'),
  details: z.string().optional().describe('why, for logs of the proxy'),
});

const streamed = z.array(z.union([bytesSchema, z.strictObject(gateShape)]));

const BODIES = ['body', 'clear', 'stream', 'immediate'] as const;

/** What is said to one message. Without anything: go on; a streamed body comes back as it is. */
export const replySchema = z
  .strictObject({
    last: z.literal(true).optional().describe('only for the message that ends the stream of its direction'),
    set: headers.optional().describe('fields (or trailers) to set; also :path, :status and the like'),
    append: headers.optional().describe('fields (or trailers) to add beside those that are there'),
    remove: z.array(z.string()).optional().describe('fields (or trailers) to take out'),
    body: bytesSchema.optional().describe('instead of the body that was sent'),
    clear: z.literal(true).optional().describe('no body'),
    stream: streamed.optional().describe('streamed pieces of the body, and waits at gates between them'),
    end: z.boolean().optional().describe('whether the last streamed piece ends the body; as received when left out'),
    replace: z.literal(true).optional().describe('status CONTINUE_AND_REPLACE'),
    immediate: immediate.optional().describe('the answer to the client'),
    mode: mode
      .optional()
      .describe('mode_override: what is sent from now on; what it leaves out is Default, or None for a body'),
    metadata: z.record(z.string(), z.json()).optional().describe('dynamic metadata'),
    as: z.enum(KINDS).optional().describe('answers as if this had been sent'),
    open: z.string().min(1).optional().describe('opens this gate when the message is here'),
    gate: z.string().min(1).optional().describe('answers when this gate opens'),
    giveUp: giveUpSchema,
    silent: z.literal(true).optional().describe('no answer'),
    close: z.literal(true).optional().describe('the stream ends in good order after the answer'),
    ...failureShape,
  })
  .refine((reply) => BODIES.filter((key) => reply[key] !== undefined).length <= 1, {
    error: `only one of ${BODIES.join(', ')}`,
  });
export type Reply = z.infer<typeof replySchema>;

const replies = z.union([replySchema, z.array(replySchema).min(1)]).optional();
const lane = {
  requestHeaders: replies.describe('what is said to the headers of the request; a list answers one after the other'),
  requestBody: replies.describe('what is said to the body of the request, or to each piece of it'),
  requestTrailers: replies.describe('what is said to the trailers of the request'),
  responseHeaders: replies.describe('what is said to the headers of the response'),
  responseBody: replies.describe('what is said to the body of the response, or to each piece of it'),
  responseTrailers: replies.describe('what is said to the trailers of the response'),
};

const match = z.strictObject({
  method: z.string().optional().describe(':method of the request'),
  path: z.string().optional().describe(':path without its query, or with it when this has a question mark'),
  headers: z.record(z.string(), z.string()).optional().describe('headers the request has, name to value'),
});
export type Match = z.infer<typeof match>;

/**
 * The script of an `extproc` peer. Each stream plays one lane: the first of `on` that matches the request headers, else
 * the top level. A list answers the messages of a kind one after the other; the last reply repeats.
 */
export const extProcScriptSchema = z.strictObject({
  kind: z.literal('extproc').describe('an external processor over gRPC: one stream per request'),
  ...lane,
  bodies: z
    .strictObject({
      request: z.enum(BODY_MODES).optional().describe('how the body of the request is sent'),
      response: z.enum(BODY_MODES).optional().describe('how the body of the response is sent'),
    })
    .optional()
    .describe('what a processor takes for granted when protocol_config is not sent: FullDuplexStreamed when left out'),
  on: z
    .array(z.strictObject({ match: match.describe('request headers of the streams that play this lane'), ...lane }))
    .optional()
    .describe('streams whose request headers match play their own lane; tried in order'),
  ...connectionShape,
});
export type ExtProcScript = z.infer<typeof extProcScriptSchema>;
export type Lane = Partial<Record<Kind, Reply | readonly Reply[] | undefined>>;
