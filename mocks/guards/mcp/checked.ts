import type { OpenCall, Question } from '../../grpc/record-call.ts';
import type { McpRequest, McpResponse } from '../../wire/gen/ext_mcp_pb.js';

/** What a guard is asked, as plain data. */
export interface Checked {
  readonly check: 'request' | 'response';
  readonly method: string;
  /** Of a request; missing when it has none. */
  readonly params?: unknown;
  readonly result?: unknown;
}

export type OpenCheck = OpenCall<McpRequest | McpResponse, Checked>;

/** A question in the words a case uses: `params` of a request, `result` of a response. */
export function readCheck(message: McpRequest | McpResponse): Question<Checked> {
  const { method, serviceNames, metadataContext: metadata = {} } = message;
  if (message.$typeName === 'proxy.ext_mcp.v1.McpResponse') {
    const { mcpResponse } = message;
    const cut = { check: 'response', method, serviceNames, metadata } as const;
    return { asked: { ...cut, result: jsonOf(mcpResponse) }, bytes: mcpResponse.length, cut };
  }
  const { mcpRequest, headers } = message;
  const cut = { check: 'request', method, serviceNames, metadata, headers: headersOf(headers) } as const;
  if (mcpRequest === undefined) return { asked: cut, bytes: 0, cut };
  return { asked: { ...cut, params: jsonOf(mcpRequest) }, bytes: mcpRequest.length, cut };
}

/** What the bytes spell; as text where they are no JSON. */
function jsonOf(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString();
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
}

/** As they came; a field that came more than once is a list. */
function headersOf(headers: McpRequest['headers']): Readonly<Record<string, string | readonly string[]>> {
  const groups = Map.groupBy(headers, ({ key }) => key);
  return Object.fromEntries(
    [...groups].map(([key, fields]) => {
      const [first = '', ...more] = fields.map(({ value }) => Buffer.from(value).toString('latin1'));
      return [key, more.length === 0 ? first : [first, ...more]];
    }),
  );
}
