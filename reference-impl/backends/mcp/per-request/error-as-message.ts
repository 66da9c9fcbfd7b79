import type { Request } from '../message.ts';
import { knownMessages, type Sent } from '../transports/transport.ts';

/** A refusal that is an error of JSON-RPC with a status, as the error alone. */
export function errorAsMessage(sent: Sent, { id }: Request): Sent {
  if (sent.kind !== 'refuses' || sent.error === undefined) return sent;
  const response = { kind: 'response', id, outcome: { error: sent.error } } as const;
  return { kind: 'speaks', messages: knownMessages([response]), sessionId: undefined };
}
