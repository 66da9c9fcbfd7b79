import type { Checked } from './entry.ts';
import type { ExtAuthScript, Match, Reply } from './script.ts';

interface Lane {
  readonly match?: Match;
  readonly replies: readonly Reply[];
  seen: number;
}

/** Chooses the reply to each checked request in order of arrival; a lane counts its own requests. */
export function createChooser(script: ExtAuthScript): (checked: Checked) => Reply {
  const lanes: Lane[] = [
    ...(script.on ?? []).map((lane) => ({ match: lane.match, replies: repliesOf(lane), seen: 0 })),
    { replies: repliesOf(script), seen: 0 },
  ];
  return (checked) => nextOf(lanes.find((lane) => matches(lane.match, checked)));
}

function repliesOf(lane: Pick<ExtAuthScript, 'reply' | 'replies'>): readonly Reply[] {
  return lane.replies ?? [lane.reply ?? {}];
}

function nextOf(lane: Lane | undefined): Reply {
  if (lane === undefined) return {};
  const reply = lane.replies[Math.min(lane.seen, lane.replies.length - 1)] ?? {};
  lane.seen += 1;
  return reply;
}

function matches(match: Match | undefined, checked: Checked): boolean {
  if (match === undefined) return true;
  if (match.method !== undefined && match.method !== checked.method) return false;
  if (match.path !== undefined && match.path !== comparable(checked.path, match.path)) return false;
  return Object.entries(match.headers ?? {}).every(([name, value]) => checked.headers[name.toLowerCase()] === value);
}

function comparable(target: string, path: string): string {
  return path.includes('?') ? target : (target.split('?', 1)[0] ?? '');
}
