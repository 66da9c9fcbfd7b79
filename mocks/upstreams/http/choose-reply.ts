import type { HttpEntry } from './entry.ts';
import { lowerCaseView } from './entry.ts';
import type { HttpScript, Reply } from './script.ts';

type Match = NonNullable<HttpScript['on']>[number]['match'];

interface Lane {
  readonly match?: Match;
  readonly replies: readonly Reply[];
  seen: number;
}

/** Chooses the reply to each request in order of arrival; the peer's fault stands in where a reply names none. */
export function createChooser(script: HttpScript): (entry: HttpEntry) => Reply {
  const lanes: Lane[] = [
    ...(script.on ?? []).map((lane) => ({ match: lane.match, replies: repliesOf(lane), seen: 0 })),
    { replies: repliesOf(script), seen: 0 },
  ];
  const fault = script.fault === 'refuse' ? undefined : script.fault;
  return (entry) => {
    const reply = nextOf(lanes.find((lane) => matches(lane.match, entry)));
    return fault === undefined || reply.fault !== undefined ? reply : { ...reply, fault };
  };
}

function repliesOf(lane: Pick<HttpScript, 'reply' | 'replies'>): readonly Reply[] {
  return lane.replies ?? [lane.reply ?? {}];
}

function nextOf(lane: Lane | undefined): Reply {
  if (lane === undefined) return {};
  const reply = lane.replies[Math.min(lane.seen, lane.replies.length - 1)] ?? {};
  lane.seen += 1;
  return reply;
}

function matches(match: Match | undefined, entry: HttpEntry): boolean {
  if (match === undefined) return true;
  if (match.method !== undefined && match.method !== entry.method) return false;
  if (match.path !== undefined && match.path !== comparable(entry.target, match.path)) return false;
  const headers = lowerCaseView(entry.headers);
  return Object.entries(match.headers ?? {}).every(([name, value]) =>
    [headers[name.toLowerCase()]].flat().some((one) => one === value || (value === '*' && one !== undefined)),
  );
}

function comparable(target: string, path: string): string {
  return path.includes('?') ? target : (target.split('?', 1)[0] ?? '');
}
