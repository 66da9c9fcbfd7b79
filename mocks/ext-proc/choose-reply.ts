import { replyAt } from '../lanes.ts';
import { isAt } from '../target.ts';
import type { Arrived } from './arrived.ts';
import { KINDS } from './script.ts';
import type { ExtProcScript, Kind, Lane, Match, Reply } from './script.ts';

/** The replies of one stream: asked once per message, in order. */
export type ReplyChooser = (message: Arrived) => Reply;

/** A chooser for a new stream; its first message decides about the lane, which has a list per kind of message. */
export function createChooser(script: ExtProcScript): ReplyChooser {
  const seen = new Map<Kind, number>();
  let lane: Lane | undefined;
  return (message) => {
    lane ??= script.on?.find(({ match }) => matches(match, message)) ?? script;
    const kind = KINDS.find((known) => known === message.kind);
    if (kind === undefined) return {};
    const replies = [lane[kind] ?? []].flat();
    const last = message.end ? replies.find((reply) => reply.last === true) : undefined;
    if (last !== undefined) return last;
    const index = seen.get(kind) ?? 0;
    seen.set(kind, index + 1);
    const others = replies.filter((reply) => reply.last !== true);
    return replyAt(others, index);
  };
}

function matches({ method, path, headers = {} }: Match, message: Arrived): boolean {
  const { ':method': sentMethod, ':path': sentPath = '' } = message.headers;
  if (method !== undefined && method !== sentMethod) return false;
  if (path !== undefined && !isAt(String(sentPath), path)) return false;
  return Object.entries(headers).every(([name, value]) => [message.headers[name.toLowerCase()]].flat().includes(value));
}
