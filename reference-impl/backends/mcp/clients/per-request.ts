import type { Answer } from '../../../exchange/exchange.ts';
import { isJson } from '../../json.ts';
import type { Asked } from '../asked.ts';
import { guardCall } from '../guards/guard-call.ts';
import type { Message, Notification, Request } from '../message.ts';
import { fieldProblem } from '../mirrored-fields.ts';
import { methodOf } from '../multiplexing.ts';
import { discover } from '../per-request/discover.ts';
import { CAPABILITIES, metaIn, VERSION } from '../per-request/meta.ts';
import { subscribe } from '../per-request/subscribe.ts';
import { refuseMcp } from '../refusals.ts';
import { relayNotification } from '../relay-notification.ts';
import { routeRequest } from '../route-request.ts';
import type { Session } from '../session.ts';
import { PER_REQUEST } from '../versions.ts';
import { whileVisiting } from '../visit.ts';

/** A client of the revision without sessions: whatever it wants is said in one request. docs/decisions/mcp-per-request.md */
export function answerPerRequest(client: Asked, message: Message): Promise<Answer> | Answer {
  const asked: Asked = { ...client, message, perRequest: true };
  if (asked.exchange.request.headers.get('mcp-session-id') !== undefined) return refuseMcp('sessionInvalid');
  if (message.kind === 'response') return refuseMcp('unreadable', { detail: 'nobody asks anything in this revision' });
  return (
    refused(asked, message) ??
    whileVisiting(asked, (visiting, session) =>
      guardCall<Request | Notification>(visiting, message, (guarded, call) => answer(guarded, session, call)),
    )
  );
}

function answer(asked: Asked, session: Session, call: Request | Notification): Promise<Answer> | Answer {
  if (call.kind === 'notification') return relayNotification(asked, session, call);
  if (call.method === 'server/discover') return discover(asked, call);
  if (call.method === 'subscriptions/listen') return subscribe(asked, session, call);
  return routeRequest(asked, session, call);
}

/** What the fields say must be there and be what the message says. */
function refused({ exchange }: Asked, message: Request | Notification): Answer | undefined {
  const id = message.kind === 'request' ? message.id : undefined;
  const problem = fieldProblem(exchange.request.headers, message, true);
  if (problem !== undefined) return refuseMcp(problem.code, { id, detail: problem.detail });
  if (message.kind === 'notification') return undefined;
  const version = metaIn(message, VERSION);
  if (version === undefined) return refuseMcp('paramsInvalid', { id, detail: `_meta lacks ${VERSION}` });
  if (version !== PER_REQUEST) return refuseMcp('fieldMismatch', { id, detail: 'MCP-Protocol-Version' });
  if (!isJson(metaIn(message, CAPABILITIES)))
    return refuseMcp('paramsInvalid', { id, detail: `_meta lacks ${CAPABILITIES}` });
  return isSpoken(message.method) ? undefined : refuseMcp('methodUnknown', { id, detail: message.method });
}

function isSpoken(method: string): boolean {
  return OWN.has(method) || (methodOf(method) !== undefined && !REMOVED.has(method));
}

const OWN: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/** What the revisions with sessions have; `initialize` is in no table. */
const REMOVED: ReadonlySet<string> = new Set([
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);
