import type { Asked } from './answer.ts';
import type { GuardReply, GuardScript } from './script.ts';

type Match = NonNullable<GuardScript['on']>[number]['match'];

interface Lane {
  readonly match?: Match;
  readonly replies: readonly GuardReply[];
  seen: number;
}

/** The reply to each question in order of arrival: the first lane that matches. What is refused uses up no reply. */
export function createChooser(script: GuardScript): (what: Asked) => GuardReply {
  const lanes: Lane[] = [
    ...(script.on ?? []).map((lane) => ({ match: lane.match, replies: repliesOf(lane), seen: 0 })),
    { replies: repliesOf(script), seen: 0 },
  ];
  return (what) => {
    const lane = lanes.find(({ match }) => matches(match, what));
    if (lane === undefined) return {};
    const reply = lane.replies[Math.min(lane.seen, lane.replies.length - 1)] ?? {};
    if ('question' in what) lane.seen += 1;
    return reply;
  };
}

function repliesOf(lane: Pick<GuardScript, 'reply' | 'replies'>): readonly GuardReply[] {
  return lane.replies ?? [lane.reply ?? {}];
}

function matches(match: Match | undefined, what: Asked): boolean {
  if (match === undefined) return true;
  if ('problem' in what) return false;
  const { phase, texts } = what.question;
  if (match.phase !== undefined && match.phase !== phase) return false;
  const wanted = match.text;
  return wanted === undefined || texts.some((text) => text.includes(wanted));
}
