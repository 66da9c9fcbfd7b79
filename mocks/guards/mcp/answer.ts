import { create } from '@bufbuild/protobuf';
import { McpRequestResultSchema, McpResponseResultSchema } from '../../wire/gen/ext_mcp_pb.js';
import type { McpRequestResult, McpResponseResult } from '../../wire/gen/ext_mcp_pb.js';
import { REJECTIONS } from './script.ts';
import type { Reply } from './script.ts';

/** What `reply` says about a request, as the contract says it. */
export function toRequestResult(reply: Reply): McpRequestResult {
  const { setHeaders, removeHeaders, metadata } = reply;
  const edits = setHeaders !== undefined || removeHeaders !== undefined;
  return create(McpRequestResultSchema, {
    result: verdict(reply),
    ...(edits ? { headerMutation: { set: fields(setHeaders), remove: removeHeaders ?? [] } } : {}),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

/** What it says about a response; headers and metadata are about requests. */
export function toResponseResult(reply: Reply): McpResponseResult {
  return create(McpResponseResultSchema, { result: verdict(reply) });
}

type Verdict =
  | { readonly case: 'pass'; readonly value: object }
  | { readonly case: 'mutated'; readonly value: Uint8Array }
  | { readonly case: 'error'; readonly value: { code: number; reason: string; mcpError?: Uint8Array } }
  | { readonly case: undefined };

function verdict({ mutated, raw, reject, mute }: Reply): Verdict {
  if (mute === true) return { case: undefined };
  if (raw !== undefined) return { case: 'mutated', value: Buffer.from(raw) };
  if (mutated !== undefined) return { case: 'mutated', value: Buffer.from(JSON.stringify(mutated)) };
  if (reject === undefined) return { case: 'pass', value: {} };
  const { code = 'PERMISSION_DENIED', reason = 'rejected', data } = reject;
  const mcpError = data === undefined ? {} : { mcpError: Buffer.from(JSON.stringify(data)) };
  return { case: 'error', value: { code: REJECTIONS.indexOf(code), reason, ...mcpError } };
}

function fields(headers: Readonly<Record<string, string>> = {}): { key: string; value: Uint8Array }[] {
  return Object.entries(headers).map(([key, value]) => ({ key, value: Buffer.from(value, 'latin1') }));
}
