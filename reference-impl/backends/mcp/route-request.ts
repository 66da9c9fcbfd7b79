import type { Answer } from '../../exchange/exchange.ts';
import type { Asked, Seat } from './asked.ts';
import { asObject, asString, type Json, withMember } from '../json.ts';
import { type Cursors, joinCursors, splitCursors } from './merge.ts';
import type { Request, Response } from './message.ts';
import { type ItemList, LISTS, methodOf, type NamedItem, type ToOne } from './multiplexing.ts';
import { isPrefixed, type Item, meantBy } from './names.ts';
import { hasRules, mayUse, usableItems } from './authorization.ts';
import { messageAnswer } from './event-stream.ts';
import { guardOutcome } from './guards/guard-result.ts';
import { refuseMcp } from './refusals.ts';
import { type Answered, type Part, relayRequest } from './relay-request.ts';
import { cacheHints, inClientsRevision } from './per-request/results.ts';
import { outwardItems, outwardResult } from './rewrite.ts';
import type { Session } from './session.ts';
import { wholeLists } from './whole-lists.ts';

/** Finds the targets a request is for, and lets them answer. */
export function routeRequest(asked: Asked, session: Session, request: Request): Promise<Answer> | Answer {
  const method = methodOf(request.method);
  const [only] = session.seats;
  if (method === undefined) {
    // One server may have methods that nobody else knows, and rules could not judge.
    if (only !== undefined && session.seats.length === 1 && !hasRules(asked))
      return toTarget(asked, { seat: only, request });
    return refuseMcp('sendFailed', { id: request.id, detail: `unsupported method: ${request.method}` });
  }
  return method.to === 'all' ? toAll(asked, session, request, method.list) : toOne(asked, session, request, method);
}

function toTarget(asked: Asked, part: Part): Promise<Answer> {
  return relayRequest(asked, {
    request: part.request,
    parts: [part],
    conclude: ([answered]) => outwardOutcome(asked, answered),
  });
}

function outwardOutcome({ mcp }: Asked, answered: Answered | undefined): Response['outcome'] {
  if (answered === undefined || !('result' in answered.outcome)) return answered?.outcome ?? { result: {} };
  return { result: outwardResult({ mcp, target: answered.seat.target.name }, answered.outcome.result) };
}

function toOne(asked: Asked, session: Session, request: Request, { itemIn }: ToOne): Promise<Answer> | Answer {
  const named = itemIn(request.params ?? {});
  if (named === undefined) return invalid(asked, request, `invalid params for method: ${request.method}`);
  const meant = meantBy(asked.mcp, named.kind, named.name);
  if ('problem' in meant) return noSuchItem(asked, request, named, meant.problem);
  if ('anyOf' in meant) return toOwner(asked, session, request, named);
  return toItem(asked, session, { request, named, item: meant.item });
}

/** MCP-014: every target is asked what it has. MCP-015: a name that several have means none of them. */
async function toOwner(asked: Asked, session: Session, request: Request, named: NamedItem): Promise<Answer> {
  const { method, list } = LISTS[named.kind];
  const lists = await wholeLists(asked, session.seats, { ...request, method, params: undefined }, list);
  if ('status' in lists) return lists;
  const owners = lists.filter(({ items }) => items.some((item) => item[list.name] === named.name));
  const [owner] = owners;
  if (owner === undefined) return noSuchItem(asked, request, named, `unknown ${named.kind} ${named.name}`);
  if (owners.length > 1) return invalid(asked, request, `${named.kind} ${named.name} is served by multiple targets`);
  const item: Item = { kind: named.kind, target: owner.seat.target.name, name: named.name };
  return toItem(asked, session, { request, named, item });
}

interface ForItem {
  readonly request: Request;
  readonly named: NamedItem;
  readonly item: Item;
}

/** MCP-017: the target hears its own name for the item. */
function toItem(asked: Asked, session: Session, { request, named, item }: ForItem): Promise<Answer> | Answer {
  asked.notes.noteItem(item, request.params);
  // MCP-031, MCP-032, MCP-033
  if (!mayUse(asked, item)) return hidden(request, named);
  const seat = session.seats.find(({ target }) => target.name === item.target);
  if (seat === undefined) return invalid(asked, request, `unknown service ${item.target}`);
  const params = withMember(request.params ?? {}, named.at, item.name);
  return toTarget(asked, { seat, request: { ...request, params } });
}

/** Where there are rules, what does not exist and what may not be used look alike. */
function noSuchItem(asked: Asked, request: Request, named: NamedItem, why: string): Answer {
  return hasRules(asked) ? hidden(request, named) : invalid(asked, request, why);
}

function hidden({ id }: Request, { kind, name }: NamedItem): Answer {
  return refuseMcp('unknownItem', { id, detail: `${kind}: ${name}` });
}

function invalid({ perRequest }: Asked, { id, params }: Request, why: string): Answer {
  const uri = asString(params?.['uri']);
  // The revision wants it said which resource is not there.
  if (perRequest === true)
    return refuseMcp('paramsInvalid', { id, detail: why, data: uri === undefined ? undefined : { uri } });
  return refuseMcp('sendFailed', { id, detail: `invalid request: ${why}` });
}

function toAll(
  asked: Asked,
  { seats }: Session,
  request: Request,
  list: ItemList | undefined,
): Promise<Answer> | Answer {
  const { mcp } = asked;
  if (list !== undefined && seats.length > 1 && !isPrefixed(mcp, list.kind))
    return withoutTwins(asked, seats, request, list);
  if (list === undefined) {
    const parts = seats.map((seat) => ({ seat, request }));
    return relayRequest(asked, { request, parts, conclude: () => ({ result: {} }) });
  }
  const parts = pageOf(seats, request);
  if (parts === undefined) return invalid(asked, request, 'unknown cursor');
  return relayRequest(asked, {
    request,
    parts,
    conclude: (answered) => ({ result: mergedList(asked, answered, list) }),
  });
}

/** MCP-015: a name that several targets have could not be called, so it is not listed. */
async function withoutTwins(asked: Asked, seats: readonly Seat[], request: Request, list: ItemList): Promise<Answer> {
  const lists = await wholeLists(asked, seats, request, list);
  if ('status' in lists) return lists;
  const items = lists.flatMap(({ items: each }) => each);
  const owners = Map.groupBy(items, (item) => item[list.name]);
  const alone = items.filter((item) => owners.get(item[list.name])?.length === 1);
  const guarded = await guardOutcome(asked, request, { result: { [list.member]: alone } });
  const outcome = inClientsRevision(asked, request.method, guarded);
  return messageAnswer(asked, { kind: 'response', id: request.id, outcome });
}

/** With one target its own cursor; with several, one that stands for those of all that have more. */
function pageOf(seats: readonly Seat[], request: Request): readonly Part[] | undefined {
  const cursor = asString(request.params?.['cursor']);
  if (cursor === undefined || seats.length === 1) return seats.map((seat) => ({ seat, request }));
  const cursors = splitCursors(cursor);
  if (cursors === undefined) return undefined;
  const parts = seats.flatMap((seat) => {
    const own = cursors.get(seat.target.name);
    return own === undefined ? [] : [{ seat, request: { ...request, params: { ...request.params, cursor: own } } }];
  });
  // A list that goes on nowhere is not a list that ends here: the client would take what it has for everything.
  return parts.length === 0 ? undefined : parts;
}

/** MCP-001: the items of all, in the order of the targets. */
function mergedList(asked: Asked, answered: readonly Answered[], list: ItemList): Json {
  const { mcp } = asked;
  const results = answered.flatMap(({ seat, outcome }) =>
    'result' in outcome ? [{ target: seat.target.name, result: asObject(outcome.result) ?? {} }] : [],
  );
  const items = results.flatMap(({ target, result }) =>
    outwardItems({ mcp, target }, usableItems(asked, target, result, list), list),
  );
  const next = nextCursor(results, mcp);
  const [first] = results;
  const alone =
    mcp.targets.length === 1
      ? first?.result
      : hintsOf(
          asked,
          results.map(({ result }) => result),
        );
  return { ...alone, [list.member]: items, ...(next === undefined ? {} : { nextCursor: next }) };
}

/** Servers with sessions say nothing of how long a list may be kept, and their clients want to know nothing of it. */
function hintsOf({ perRequest }: Asked, results: readonly Json[]): Json {
  return perRequest === true ? cacheHints(results) : {};
}

function nextCursor(
  results: readonly { readonly target: string; readonly result: Json }[],
  mcp: Asked['mcp'],
): string | undefined {
  const cursors: Cursors = new Map(
    results.flatMap(({ target, result }) => {
      const cursor = asString(result['nextCursor']);
      return cursor === undefined ? [] : [[target, cursor] as const];
    }),
  );
  return mcp.targets.length === 1 ? [...cursors.values()][0] : joinCursors(cursors);
}
