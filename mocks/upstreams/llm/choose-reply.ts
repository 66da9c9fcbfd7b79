import type { Call } from './receive.ts';
import type { LlmReply, LlmScript } from './script.ts';

type Match = NonNullable<LlmScript['on']>[number]['match'];

interface Lane {
  readonly match?: Match;
  readonly replies: readonly LlmReply[];
  seen: number;
}

/**
 * Chooses the reply to each request in order of arrival: the first lane that matches, then `replies` or `reply`; the last
 * one repeats. A request that the provider refuses uses up no reply.
 */
export function createChooser(script: LlmScript): (call: Call) => LlmReply {
  const lanes: Lane[] = [
    ...(script.on ?? []).map((lane) => ({ match: lane.match, replies: repliesOf(lane), seen: 0 })),
    { replies: repliesOf(script), seen: 0 },
  ];
  return (call) =>
    nextOf(
      lanes.find((lane) => matches(lane.match, call)),
      call.problem === undefined,
    );
}

function repliesOf(lane: Pick<LlmScript, 'reply' | 'replies'>): readonly LlmReply[] {
  return lane.replies ?? [lane.reply ?? {}];
}

function nextOf(lane: Lane | undefined, counts: boolean): LlmReply {
  if (lane === undefined) return {};
  const reply = lane.replies[Math.min(lane.seen, lane.replies.length - 1)] ?? {};
  if (counts) lane.seen += 1;
  return reply;
}

function matches(match: Match | undefined, { format, model, text }: Call): boolean {
  if (match === undefined) return true;
  if (match.format !== undefined && match.format !== format.name) return false;
  if (match.model !== undefined && match.model !== model) return false;
  return match.text === undefined || text.includes(match.text);
}
