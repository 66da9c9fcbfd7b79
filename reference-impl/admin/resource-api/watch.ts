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

/** Bytes a client may leave lying. */
const BUDGET = 16 * 1024 * 1024;

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
  const { call, kind, response, concerns } = follower;
  const { objects, clock } = call.context;
  const send = sender(follower);
  let seen = from;

  const bookmark = (annotations?: object): void => {
    const metadata = { resourceVersion: String(seen), ...(annotations === undefined ? {} : { annotations }) };
    send('BOOKMARK', { kind, apiVersion: KINDS[kind].apiVersion, metadata });
  };
  const catchUp = (): void => {
    const changes = objects.since(seen);
    seen = objects.version();
    if (changes === undefined) {
      send('ERROR', expiredAnswer('the changes came faster than they were read').body);
      response.end();
      return;
    }
    for (const change of changes) {
      const type = change.known.object.kind === kind ? seenAs(change, concerns) : undefined;
      if (type !== undefined) send(type, presentEvent(follower, change.known.object));
    }
  };

  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.flushHeaders();
  for (const known of initial) send('ADDED', presentEvent(follower, known.object));
  if (call.query.get('sendInitialEvents') === 'true') bookmark({ 'k8s.io/initial-events-end': 'true' });

  const stops = [objects.subscribe(catchUp), clock.after(secondsOf(call.query) * 1000, () => response.end())];
  if (call.query.get('allowWatchBookmarks') === 'true') stops.push(repeatBookmark(call, bookmark));
  response.once('close', () => {
    for (const stop of stops) stop();
  });
  catchUp();
}

/** What a change is for a client that sees only some objects: one that leaves its sight is gone. */
function seenAs({ type, known, before }: Change, concerns: Follower['concerns']): Change['type'] | undefined {
  const was = before !== undefined && concerns(before);
  const is = type !== 'DELETED' && concerns(known);
  if (was && is) return 'MODIFIED';
  if (is) return 'ADDED';
  return was ? 'DELETED' : undefined;
}

/** A client that does not read is cut off; it begins again from the last version it saw. */
function sender({ response }: Follower): (type: string, object: object) => void {
  return (type, object) => {
    if (response.destroyed || response.writableEnded) return;
    if (response.writableLength > BUDGET) response.destroy();
    else response.write(`${JSON.stringify({ type, object })}\n`);
  };
}

function presentEvent({ call, kind }: Follower, object: ShownObject): object {
  const visible = redact(object);
  const presentation = presentationOf(call);
  if (presentation === 'metadata') return metadataOf(visible);
  if (presentation === 'object') return visible;
  return tableOf(kind, rowsFor(kind, [visible], call), { resourceVersion: visible.metadata.resourceVersion });
}

function repeatBookmark({ context }: ApiCall, task: () => void): () => void {
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
