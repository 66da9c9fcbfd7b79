import type { Answer } from '../../exchange/exchange.ts';
import type { Asked, Seat } from './asked.ts';
import { asJson, asText, type Json, withMember } from './json.ts';
import { type Cursors, joinCursors, splitCursors } from './merge.ts';
import type { Request, Response } from './message.ts';
import { type ItemList, methodOf, type NamedItem, type ToOne } from './multiplexing.ts';
import { type Item, meantBy } from './names.ts';
import { refuseMcp } from './refusals.ts';
import { type Answered, type Part, relayRequest } from './relay-request.ts';
import { outwardItems, outwardResult } from './rewrite.ts';
import type { Session } from './session.ts';

/** Finds the targets a request is for, and lets them answer. */
export function routeRequest(asked: Asked, session: Session, request: Request): Promise<Answer> | Answer {
  const method = methodOf(request.method);
  const [only] = session.seats;
  if (method === undefined) {
    // One server may have methods that nobody else knows.
    if (only !== undefined && session.seats.length === 1) return toTarget(asked, { seat: only, request });
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
  if (named === undefined) return invalid(request, `invalid params for method: ${request.method}`);
  const meant = meantBy(asked.mcp, named.kind, named.name);
  if ('problem' in meant) return invalid(request, meant.problem);
  if ('anyOf' in meant) return invalid(request, 'names cannot be looked up yet');
  return toItem(asked, session, { request, named, item: meant.item });
}

interface ForItem {
  readonly request: Request;
  readonly named: NamedItem;
  readonly item: Item;
}

/** MCP-017: the target hears its own name for the item. */
function toItem(asked: Asked, session: Session, { request, named, item }: ForItem): Promise<Answer> | Answer {
  const seat = session.seats.find(({ target }) => target.name === item.target);
  if (seat === undefined) return invalid(request, `unknown service ${item.target}`);
  const params = withMember(request.params ?? {}, named.at, item.name);
  return toTarget(asked, { seat, request: { ...request, params } });
}

function invalid({ id }: Request, why: string): Answer {
  return refuseMcp('sendFailed', { id, detail: `invalid request: ${why}` });
}

function toAll(
  asked: Asked,
  { seats }: Session,
  request: Request,
  list: ItemList | undefined,
): Promise<Answer> | Answer {
  const { mcp } = asked;
  if (list === undefined) {
    const parts = seats.map((seat) => ({ seat, request }));
    return relayRequest(asked, { request, parts, conclude: () => ({ result: {} }) });
  }
  const parts = pageOf(seats, request);
  if (parts === undefined) return invalid(request, 'unknown cursor');
  return relayRequest(asked, {
    request,
    parts,
    conclude: (answered) => ({ result: mergedList(answered, list, mcp) }),
  });
}

/** With one target its own cursor; with several, one that stands for those of all that have more. */
function pageOf(seats: readonly Seat[], request: Request): readonly Part[] | undefined {
  const cursor = asText(request.params?.['cursor']);
  if (cursor === undefined || seats.length === 1) return seats.map((seat) => ({ seat, request }));
  const cursors = splitCursors(cursor);
  if (cursors === undefined) return undefined;
  return seats.flatMap((seat) => {
    const own = cursors.get(seat.target.name);
    return own === undefined ? [] : [{ seat, request: { ...request, params: { ...request.params, cursor: own } } }];
  });
}

/** MCP-001: the items of all, in the order of the targets. */
function mergedList(answered: readonly Answered[], list: ItemList, mcp: Asked['mcp']): Json {
  const results = answered.flatMap(({ seat, outcome }) =>
    'result' in outcome ? [{ target: seat.target.name, result: asJson(outcome.result) ?? {} }] : [],
  );
  const items = results.flatMap(({ target, result }) => outwardItems({ mcp, target }, result, list));
  const next = nextCursor(results, mcp);
  const [first] = results;
  const alone = mcp.targets.length === 1 ? first?.result : {};
  return { ...alone, [list.member]: items, ...(next === undefined ? {} : { nextCursor: next }) };
}

function nextCursor(
  results: readonly { readonly target: string; readonly result: Json }[],
  mcp: Asked['mcp'],
): string | undefined {
  const cursors: Cursors = new Map(
    results.flatMap(({ target, result }) => {
      const cursor = asText(result['nextCursor']);
      return cursor === undefined ? [] : [[target, cursor] as const];
    }),
  );
  return mcp.targets.length === 1 ? [...cursors.values()][0] : joinCursors(cursors);
}
