import { z } from 'zod';

/** A request that the page asks the proxy to send to itself. */
export interface AskedRequest {
  /** The data port it goes to. */
  readonly port: number;
  readonly method: string;
  /** As it stands in the first line. */
  readonly target: string;
  /** In their order; `Host` and the length of the body are added where they are missing. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** Bytes of the JSON text that asks. */
export const MOST_BYTES = 1024 * 1024;

const MOST_HEADERS = 64;
const LONGEST = { method: 32, target: 8192, name: 256, value: 8192 };

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TARGET = /^(?:\*|(?:\/|https?:\/\/)[!-~]*)$/;
// Node writes header values as Latin-1; anything else, and what would end the line, is refused.
const VALUE = /^[\t -~\u0080-\u00ff]*$/;

/** They frame the message or belong to the connection, which are the proxy's own here: the page sends one whole request. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const schema = z.strictObject({
  port: z.int().min(1).max(65_535),
  method: z
    .string()
    .max(LONGEST.method)
    .regex(TOKEN, 'a method is one word')
    .refine((method) => method !== 'CONNECT', 'a tunnel has no answer to show: use the command line'),
  target: z.string().max(LONGEST.target).regex(TARGET, 'begins with / or http:// and has no space in it'),
  headers: z
    .array(
      z.tuple([
        z
          .string()
          .max(LONGEST.name)
          .regex(TOKEN, 'not the name of a header field')
          .refine((name) => !OWN_FIELDS.has(name.toLowerCase()), 'frames the message, and is the page’s own'),
        z.string().max(LONGEST.value).regex(VALUE, 'a value is one line of visible characters'),
      ]),
    )
    .max(MOST_HEADERS),
  body: z.string().optional(),
});

/** What is wrong with a request that is asked for. */
export interface Refused {
  readonly refused: string;
}

/** Reads JSON `{port, method, target, headers: [[name, value]], body?}`, or says what is wrong with it, by its place. */
export function readAskedRequest(text: string): AskedRequest | Refused {
  const read = schema.safeParse(parse(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    return { refused: `invalid request: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}` };
  }
  const { body, ...asked } = read.data;
  return { ...asked, body: body === '' ? undefined : body };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
