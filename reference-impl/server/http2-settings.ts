import type { ServerSessionOptions } from 'node:http2';
import { parseByteSize } from '../base/byte-size.ts';
import type { FrontendHTTP } from '../resources/proxy-policy/fields/frontend-http.ts';

/** What a connection announces to its client, and what of a client's conduct it bears. docs/decisions/frontend-http2.md */
export function sessionOptions(limits: FrontendHTTP): ServerSessionOptions {
  const { http2WindowSize, http2FrameSize } = limits;
  return {
    settings: {
      maxConcurrentStreams: MOST_STREAMS,
      maxHeaderListSize: headerListSize(limits),
      // FRONT-029, FRONT-030
      maxFrameSize: within(http2FrameSize, 16_384, 16_777_215) ?? 16_384,
      // FRONT-027
      ...(http2WindowSize !== undefined && { initialWindowSize: within(http2WindowSize, 0, LARGEST_WINDOW) ?? 65_535 }),
    },
    // A byte of the client may stand for a field of the table. Somewhat more fields than fit are refused with a word, many more are not even kept.
    maxHeaderListPairs: Math.max(FEWEST_PAIRS, Math.ceil(headerListSize(limits) / LEAST_OF_A_FIELD)),
    maxSettings: 32,
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 100,
    // Rapid reset: so many at once, and so many a second from then on.
    streamResetBurst: 200,
    streamResetRate: 33,
  };
}

/** FRONT-031, FRONT-032: bytes of a request's fields, as RFC 9113, section 6.5.2, counts them. */
export function headerListSize({ http2MaxHeaderSize }: FrontendHTTP): number {
  return within(http2MaxHeaderSize, 0, 16_777_215) ?? 16 * 1024;
}

/** FRONT-028: undefined leaves the 65,535 bytes every connection begins with. */
export function connectionWindow({ http2ConnectionWindowSize }: FrontendHTTP): number | undefined {
  return within(http2ConnectionWindowSize, 65_535, LARGEST_WINDOW);
}

/** Requests of one connection at the same time. */
const MOST_STREAMS = 250;

/** RFC 9113, section 6.5.2: what a field counts without a name and a value. */
const LEAST_OF_A_FIELD = 32;
const FEWEST_PAIRS = 1024;

const LARGEST_WINDOW = 2 ** 31 - 1;

function within(size: string | number | undefined, least: number, most: number): number | undefined {
  const bytes = size === undefined ? undefined : parseByteSize(size);
  return bytes === undefined ? undefined : Math.min(Math.max(bytes, least), most);
}
