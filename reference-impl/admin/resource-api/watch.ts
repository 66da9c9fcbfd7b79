import type { CollectionPath } from './paths.ts';
import type { ServerResponse } from 'node:http';
import { type KindName, KINDS } from '../../resources/kinds.ts';
import type { ApiAnswer } from './answer.ts';
import type { ApiCall } from './call.ts';
import type { Change, KnownObject } from './known-objects.ts';
import { metadataOf, presentationOf } from './presentation.ts';
import { redact } from './redaction.ts';
import type { Selects } from './selectors.ts';
import type { ShownObject } from './shown-object.ts';
import { badRequest, expiredAnswer } from './status-errors.ts';
import { rowsFor, tableOf } from './table.ts';

/** Milliseconds between two bookmarks, which tell a quiet client how far it has come. */
const BOOKMARK_INTERVAL = 30_000;

/** Seconds a watch lasts when the client does not say; then it begins again from where it was. */
const DEFAULT_SECONDS = 1800;

/**
 * The changes of a collection as JSON lines `{type, object}`: after `resourceVersion`, or everything that is there and
 * then what changes. 410 when that version is too old, or of another life of the proxy.
 */
export function watchObjects(call: ApiCall, path: CollectionPath, selects: Selects): ApiAnswer {
  const { query, context } = call;
  const { objects } = context;
  const wanted = query.get('resourceVersion') ?? '';
  const fromNow = wanted === '' || wanted === '0' || query.get('sendInitialEvents') === 'true';
  const from = fromNow ? objects.version() : Number(wanted);
  if (!Number.isSafeInteger(from)) return badRequest('resourceVersion: must be a version this server gave');
  if (objects.since(from) === undefined)
    return expiredAnswer(`too old resource version: ${wanted} (${objects.version()})`);

  const concerns = ({ object }: KnownObject): boolean =>
    (path.namespace === undefined || object.metadata.namespace === path.namespace) && selects(object);
  const initial = fromNow ? objects.all(path.kind.name).filter(concerns) : [];
  return {
    stream: (response) => {
      follow({ call, kind: path.kind.name, response, concerns }, initial, from);
    },
  };
}

interface Follower {
  readonly call: ApiCall;
  readonly kind: KindName;
  readonly response: ServerResponse;
  readonly concerns: (known: KnownObject) => boolean;
}

function follow(follower: Follower, initial: readonly KnownObject[], from: number): void {
  const { call, kind, response } = follower;
  const { objects, clock, unread } = call.context;
  const seen: Seen = { version: from };
  const events = eventsOf(follower, initial, seen);

  // Only as much as is read: what a client has not read yet stays where all clients share it.
  const catchUp = (): void => {
    while (!response.writableNeedDrain && !response.writableEnded && !response.destroyed) {
      const { done, value } = events.next();
      if (done === true) response.end();
      else if (value === undefined) return;
      else unread.write(response, `${JSON.stringify(value)}\n`);
    }
  };
  const tellVersion = (): void => {
    if (!response.writableNeedDrain) unread.write(response, `${JSON.stringify(bookmark(kind, seen))}\n`);
  };
  const end = (): void => {
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  };

  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.flushHeaders();
  const stops = [objects.subscribe(catchUp), clock.after(secondsOf(call.query) * 1000, end)];
  if (call.query.get('allowWatchBookmarks') === 'true') stops.push(repeat(call, tellVersion));
  response.on('drain', catchUp);
  response.once('close', () => {
    for (const stop of stops) stop();
  });
  catchUp();
}

/** How far a client has come. */
interface Seen {
  version: number;
}

interface WatchEvent {
  readonly type: Change['type'] | 'BOOKMARK' | 'ERROR';
  readonly object: object;
}

/** What a client is to be told, one after the other; undefined as long as there is nothing new. Ends when it is too late to go on. */
function* eventsOf(
  follower: Follower,
  initial: readonly KnownObject[],
  seen: Seen,
): Generator<WatchEvent | undefined, void> {
  const { call, kind, concerns } = follower;
  const { objects } = call.context;
  for (const known of initial) yield { type: 'ADDED', object: presentEvent(follower, known.object) };
  if (call.query.get('sendInitialEvents') === 'true') {
    yield bookmark(kind, seen, { 'k8s.io/initial-events-end': 'true' });
  }
  for (;;) {
    const changes = objects.since(seen.version);
    const version = objects.version();
    if (changes === undefined) {
      yield { type: 'ERROR', object: expiredAnswer('the changes came faster than they were read').body };
      return;
    }
    for (const change of changes) {
      const type = change.known.object.kind === kind ? seenAs(change, concerns) : undefined;
      if (type !== undefined) yield { type, object: presentEvent(follower, change.known.object) };
      seen.version = change.version;
    }
    seen.version = version;
    yield undefined;
  }
}

function bookmark(kind: KindName, { version }: Seen, annotations?: object): WatchEvent {
  const metadata = { resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) };
  return { type: 'BOOKMARK', object: { kind, apiVersion: KINDS[kind].apiVersion, metadata } };
}

/** What a change is for a client that sees only some objects: one that leaves its sight is gone. */
function seenAs({ type, known, before }: Change, concerns: Follower['concerns']): Change['type'] | undefined {
  const was = before !== undefined && concerns(before);
  const is = type !== 'DELETED' && concerns(known);
  if (was && is) return 'MODIFIED';
  if (is) return 'ADDED';
  return was ? 'DELETED' : undefined;
}

function presentEvent({ call, kind }: Follower, object: ShownObject): object {
  const visible = redact(object);
  const presentation = presentationOf(call);
  if (presentation === 'metadata') return metadataOf(visible);
  if (presentation === 'object') return visible;
  return tableOf(kind, rowsFor(kind, [visible], call), { resourceVersion: visible.metadata.resourceVersion });
}

function repeat({ context }: ApiCall, task: () => void): () => void {
  const again = (): void => {
    task();
    cancel = context.clock.after(BOOKMARK_INTERVAL, again);
  };
  let cancel = context.clock.after(BOOKMARK_INTERVAL, again);
  return () => {
    cancel();
  };
}

function secondsOf(query: URLSearchParams): number {
  const seconds = Number(query.get('timeoutSeconds') ?? '');
  return seconds > 0 && seconds <= DEFAULT_SECONDS ? seconds : DEFAULT_SECONDS;
}
