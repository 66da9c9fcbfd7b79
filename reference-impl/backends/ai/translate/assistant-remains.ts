import type { Json } from '../../json.ts';
import { UnsupportedByFormat } from './translation.ts';

/**
 * Throws UnsupportedByFormat for an answer of which a member that no other format has would be lost: audio that is kept at
 * its provider, and the older form of a call, which has no id. docs/decisions/ai-formats.md
 */
export function refuseRemains(message: Json): void {
  if ((message['audio'] ?? undefined) !== undefined)
    throw new UnsupportedByFormat('audio of an earlier answer is kept at its provider');
  if ((message['function_call'] ?? undefined) !== undefined)
    throw new UnsupportedByFormat('function_call is not supported; use tool_calls');
}
