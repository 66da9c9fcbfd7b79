import { Buffer } from 'node:buffer';
import { HeaderMap } from '../../base/headers.ts';
import type { ProxyError } from '../../base/proxy-error.ts';
import { bytesBody } from '../../base/read-body.ts';
import type { Answer } from '../../exchange/exchange.ts';
import { type Id, writeMessage } from './message.ts';

interface Row {
  readonly status: number;
  readonly text: string;
  /** The code of the JSON-RPC error, where the refusal answers a request that could be read. */
  readonly rpc?: number;
}

/** How the proxy itself refuses. docs/decisions/mcp-errors.md */
const REFUSALS = {
  methodNotAllowed: { status: 405, text: 'method not allowed; must be GET, POST, or DELETE' },
  postNotAccepted: { status: 406, text: 'client must accept both application/json and text/event-stream' },
  streamNotAccepted: { status: 406, text: 'client must accept text/event-stream' },
  notJson: { status: 415, text: 'client must send application/json' },
  encoded: { status: 415, text: 'client must send its messages without content-encoding' },
  unreadable: { status: 400, text: 'fail to deserialize request body' },
  idMissing: { status: 400, text: 'a request needs an id' },
  sessionHeaderMissing: { status: 400, text: 'session header is required for non-initialize requests' },
  sessionIdMissing: { status: 400, text: 'session ID is required' },
  sessionNotNamed: { status: 422, text: 'failed to process session_id query parameter' },
  sessionInvalid: { status: 400, text: 'invalid session ID header' },
  sessionUnknown: { status: 404, text: 'session not found' },
  versionUnknown: { status: 400, text: 'unsupported MCP protocol version', rpc: -32_022 },
  fieldUnreadable: { status: 400, text: 'invalid MCP routing header', rpc: -32_020 },
  fieldMismatch: { status: 400, text: 'header/body mismatch', rpc: -32_020 },
  paramsInvalid: { status: 400, text: 'invalid request parameters', rpc: -32_602 },
  methodUnknown: { status: 404, text: 'method not found', rpc: -32_601 },
  noStream: { status: 405, text: 'GET event stream is not supported by any upstream' },
  noBackends: { status: 503, text: 'no backends configured' },
  // MCP-035: the documents give no code; who may not use an item is not told that it exists.
  unknownItem: { status: 400, text: 'Unknown', rpc: -32_602 },
  // A notification that a guard rejects: there is no request to answer. docs/decisions/mcp-guards.md
  rejected: { status: 403, text: 'rejected' },
  sendFailed: { status: 500, text: 'failed to send message', rpc: -32_603 },
  unavailable: { status: 503, text: 'failed to send message', rpc: -32_603 },
} as const satisfies Readonly<Record<string, Row>>;

export type RefusalCode = keyof typeof REFUSALS;

export interface RefusalMore {
  /** Of the request that is refused. */
  readonly id?: Id | undefined;
  /** Follows the text after a colon, or after a space where the text is a beginning. */
  readonly detail?: string | undefined;
  readonly data?: unknown;
  /** Set when something behind the proxy failed. */
  readonly failure?: ProxyError | undefined;
}

/** A JSON-RPC error for a request whose id is known, where the row has a code; otherwise plain text. */
export function refuseMcp(code: RefusalCode, { id, detail, data, failure }: RefusalMore = {}): Answer {
  const { status, text, rpc }: Row = REFUSALS[code];
  const message = detail === undefined ? text : `${text}${code === 'unknownItem' ? ' ' : ': '}${detail}`;
  const from = failure === undefined ? ({ from: 'policy' } as const) : ({ from: 'failure', failure } as const);
  if (rpc === undefined || id === undefined) return { status, headers: TEXT, body: bodyOf(`mcp: ${message}`), ...from };
  const error = { code: rpc, message, ...(data === undefined ? {} : { data }) };
  return {
    status,
    headers: JSON_TEXT,
    body: bodyOf(writeMessage({ kind: 'response', id, outcome: { error } })),
    ...from,
  };
}

const TEXT = HeaderMap.of([['content-type', 'text/plain']]);
const JSON_TEXT = HeaderMap.of([['content-type', 'application/json']]);

function bodyOf(text: string): Answer['body'] {
  return bytesBody(Buffer.from(text));
}
