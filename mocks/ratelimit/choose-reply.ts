import type { Asked } from './entry.ts';
import type { Match, RateLimitScript, Reply } from './script.ts';

interface Lane {
  readonly match?: Match;
  readonly replies: readonly Reply[];
  seen: number;
}

/** Chooses the reply to each question in order of arrival; a lane counts its own questions. */
export function createChooser(script: RateLimitScript): (asked: Asked) => Reply {
  const lanes: Lane[] = [
    ...(script.on ?? []).map((lane) => ({ match: lane.match, replies: repliesOf(lane), seen: 0 })),
    { replies: repliesOf(script), seen: 0 },
  ];
  return (asked) => nextOf(lanes.find(({ match }) => match === undefined || matches(match, asked)));
}

function repliesOf({ reply = {}, replies = [reply] }: Pick<RateLimitScript, 'reply' | 'replies'>): readonly Reply[] {
  return replies;
}

function nextOf(lane: Lane | undefined): Reply {
  if (lane === undefined) return {};
  const reply = lane.replies[Math.min(lane.seen, lane.replies.length - 1)] ?? {};
  lane.seen += 1;
  return reply;
}

function matches({ domain, entries = {} }: Match, asked: Asked): boolean {
  if (domain !== undefined && domain !== asked.domain) return false;
  const wanted = Object.entries(entries);
  if (wanted.length === 0) return true;
  return asked.descriptors.some((descriptor) =>
    wanted.every(([name, text]) => descriptor.entries.some(({ key, value }) => key === name && value === text)),
  );
}
