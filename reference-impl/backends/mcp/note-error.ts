import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { Answer, Targeted } from '../../exchange/exchange.ts';
import type { RpcError } from '../../exchange/request-record.ts';
import { hasFields } from '../../telemetry/has-fields.ts';
import { asNumber, asObject, type Json } from '../json.ts';
import { beginning, isJsonText, keepJson } from '../kept-json.ts';
import type { McpNotes } from './notes.ts';

/**
 * The answer, whose JSON-RPC error is noted for the log and for spans, where there are some: one the proxy refuses with, one that a target
 * refuses with, or one that was relayed as an event. docs/decisions/telemetry.md
 */
export function noteError(answer: Answer, exchange: Targeted, notes: McpNotes): Answer {
  const { record } = exchange;
  if (record === undefined || !hasFields(exchange)) return answer;
  if (!isJsonText(answer.headers)) {
    record.mcpError = () => errorOf(notes.error);
    return answer;
  }
  const { body, json } = keepJson(answer.body, answer.headers, bodyLimit(exchange, 'response'));
  record.mcpError = () => errorOf(asObject(json()?.['error']));
  return { ...answer, body };
}

function errorOf(error: Json | undefined): RpcError | undefined {
  return error && { code: asNumber(error['code']), message: beginning(error['message']) };
}
