import type { McpView } from '../../attachment/view.ts';
import { isJson, memberAt, withMember } from '../json.ts';
import type { Id, Message, Notification, Response } from './message.ts';
import { outwardName } from './names.ts';

/*
 * What targets say of their own accord. Several count their requests alike, so ids and progress tokens carry the name of
 * the target on their way to the client, and lose it on the way back.
 */

/** A message of a target that answers nothing, as the client is told it. */
export function fromTarget(mcp: McpView, target: string, message: Message): Message {
  if (message.kind === 'response') return message;
  const { params } = message;
  if (message.kind === 'request') {
    return { ...message, id: outwardId(target, message.id), params: params && withOutward(params, TOKEN, target) };
  }
  if (params === undefined) return message;
  if (message.method === 'notifications/cancelled') return { ...message, params: withOutward(params, REQUEST, target) };
  if (message.method !== 'notifications/resources/updated') return message;
  const uri = params['uri'];
  if (typeof uri !== 'string') return message;
  return { ...message, params: { ...params, uri: outwardName(mcp, { kind: 'resource', target, name: uri }) } };
}

/** Whose request a client answers, and how that target numbers it; undefined when no target asked under that id. */
export function answeredRequest(mcp: McpView, id: Id | undefined): Asker | undefined {
  return typeof id === 'string' ? inwardId(mcp, id) : undefined;
}

/** A client's notification about the request of one target, for that target; undefined when it is for all. */
export function aboutOneRequest(mcp: McpView, notification: Notification): Directed | undefined {
  const path = ABOUT[notification.method];
  const { params } = notification;
  if (path === undefined || params === undefined) return undefined;
  const token = memberAt(params, path);
  const asker = typeof token === 'string' ? inwardId(mcp, token) : undefined;
  if (asker === undefined) return undefined;
  return { target: asker.target, message: { ...notification, params: withMember(params, path, asker.id) } };
}

export interface Asker {
  readonly target: string;
  readonly id: Id;
}

export interface Directed {
  readonly target: string;
  readonly message: Notification | Response;
}

const TOKEN = ['_meta', 'progressToken'] as const;
const REQUEST = ['requestId'] as const;

/** Where notifications name a request. */
const ABOUT: Readonly<Record<string, readonly string[]>> = {
  'notifications/progress': ['progressToken'],
  'notifications/cancelled': ['requestId'],
};

function withOutward(
  params: NonNullable<Notification['params']>,
  path: readonly string[],
  target: string,
): NonNullable<Notification['params']> {
  const id = memberAt(params, path);
  if (typeof id !== 'string' && typeof id !== 'number') return params;
  const changed = withMember(params, path, outwardId(target, id));
  return isJson(changed) ? changed : params;
}

/** `n` or `s` says whether the target's own id is a number. */
function outwardId(target: string, id: Id): string {
  return `agw_${target}_${typeof id === 'number' ? 'n' : 's'}_${id}`;
}

const OUTWARD = /^agw_([^_]*)_([ns])_(.*)$/s;

function inwardId({ targets }: McpView, outward: string): Asker | undefined {
  const [, target = '', form, own = ''] = OUTWARD.exec(outward) ?? [];
  if (form === undefined || !targets.some(({ name }) => name === target)) return undefined;
  return { target, id: form === 'n' ? Number(own) : own };
}
