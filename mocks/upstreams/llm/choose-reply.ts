import { createLaneChooser } from '../../lanes.ts';
import type { Call } from './receive.ts';
import type { LlmReply, LlmScript, Match } from './script.ts';

/** Chooses the reply to each request. One that the provider refuses uses up no reply. */
export function createChooser(script: LlmScript): (call: Call) => LlmReply {
  return createLaneChooser(script, { matches, counts: (call) => call.problem === undefined });
}

function matches(match: Match, { format, model, text }: Call): boolean {
  if (match.format !== undefined && match.format !== format.name) return false;
  if (match.model !== undefined && match.model !== model) return false;
  return match.text === undefined || text.includes(match.text);
}
