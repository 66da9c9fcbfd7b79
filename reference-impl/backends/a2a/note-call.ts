import { bodyLimit } from '../../exchange/buffer-limit.ts';
import type { AgentCall } from '../../exchange/request-record.ts';
import { hasFields } from '../../telemetry/has-fields.ts';
import type { Prepared } from '../backend.ts';
import { asNumber, asObject, type Json } from '../json.ts';
import { isJsonText, keepJson, shortText } from '../kept-json.ts';

/**
 * A call that is noted for the log and for spans, where there are some: its method, and what a JSON reply says of it. Neither message is
 * changed or held up (A2A-002), and both are read when an entry is written. docs/decisions/telemetry.md
 */
export function noteCall(prepared: Prepared): Prepared {
  const { exchange } = prepared;
  const { record, request } = exchange;
  if (record === undefined || !hasFields(exchange)) return prepared;
  if (request.method !== 'POST' || !isJsonText(request.headers)) return prepared;
  const asked = keepJson(request.body, request.headers, bodyLimit(exchange, 'request'));
  const method = (): string => shortText(asked.json()?.['method']) ?? 'unknown';
  record.agentCall = () => ({ method: method() });
  return {
    ...prepared,
    exchange: { ...exchange, request: { ...request, body: asked.body } },
    receive: (answer) => {
      // A stream says many things, of which none is the outcome.
      if (!isJsonText(answer.headers)) return answer;
      const told = keepJson(answer.body, answer.headers, bodyLimit(exchange, 'response'));
      record.agentCall = () => ({ method: method(), ...outcomeOf(told.json()) });
      return { ...answer, body: told.body };
    },
  };
}

function outcomeOf(reply: Json | undefined): AgentCall {
  const error = asObject(reply?.['error']);
  if (error !== undefined) return { outcome: 'error', errorCode: asNumber(error['code']) };
  const result = asObject(reply?.['result']);
  return result === undefined ? { outcome: 'unknown' } : { outcome: 'success', ...resultOf(result) };
}

/** Version 1.0 says what a result is by the member that holds it, 0.3 by its `kind`, and older agents by nothing but its form. */
function resultOf(result: Json): AgentCall {
  const held = KINDS.find((kind) => asObject(result[kind]) !== undefined);
  const inner = (held && asObject(result[held])) ?? result;
  return {
    resultKind: held ?? shortText(result['kind']) ?? kindByForm(result),
    taskState: shortText(asObject(inner['status'])?.['state']),
    contextId: shortText(inner['contextId']),
  };
}

const KINDS = ['task', 'message'] as const;

function kindByForm(result: Json): string | undefined {
  if (asObject(result['status']) !== undefined) return 'task';
  return Array.isArray(result['parts']) ? 'message' : undefined;
}
