import { randomUUID } from 'node:crypto';
import type { Answer } from '../../exchange/exchange.ts';
import type { Asked, Seat, Setback } from './asked.ts';
import { mayUseListed } from './authorization.ts';
import { messageAnswer } from './event-stream.ts';
import { decisive, setbackAnswer } from './failures.ts';
import { asObject, asList, asString, isJson, type Json } from '../json.ts';
import type { Request, Response } from './message.ts';
import type { ItemList } from './multiplexing.ts';
import { errorAsMessage } from './per-request/error-as-message.ts';
import { say } from './say.ts';
import { readResponse } from './read-response.ts';
import { isUnknownMethod } from './relay-request.ts';

/** All items of one target. */
export interface WholeList {
  readonly seat: Seat;
  readonly items: readonly Json[];
}

/**
 * The lists of several targets to their ends, for names that say nothing of a target (MCP-014), or what the client is
 * told instead.
 */
export async function wholeLists(
  asked: Asked,
  seats: readonly Seat[],
  request: Request,
  list: ItemList,
): Promise<readonly WholeList[] | Answer> {
  const read = await Promise.all(
    seats.map(async (seat) => ({ seat, read: await wholeList(asked, seat, request, list) })),
  );
  const lists = read.flatMap(({ seat, read: each }) =>
    'items' in each
      ? [{ seat, items: each.items.filter((item) => mayUseListed(asked, seat.target.name, item, list)) }]
      : [],
  );
  const failed = read.flatMap(({ read: each }) => ('items' in each ? [] : [each]));
  const deciding = decisive(failed, lists.length, asked.mcp.failOpen);
  if (deciding === undefined) return lists;
  if ('kind' in deciding) return setbackAnswer(asked, deciding, request.id);
  return messageAnswer(asked, { kind: 'response', id: request.id, outcome: deciding });
}

/** Pages of one list: whoever has more is not believed. */
const MOST_PAGES = 64;

type Read = { readonly items: readonly Json[] } | Setback | Extract<Response['outcome'], { error: Json }>;

async function wholeList(asked: Asked, seat: Seat, { method, params }: Request, { member }: ItemList): Promise<Read> {
  const items: Json[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { cursor: _, ...rest } = params ?? {};
    const own = cursor === undefined ? rest : { ...rest, cursor };
    const got = await ask(asked, seat, {
      kind: 'request',
      id: `agw-resolve-${page}-${randomUUID()}`,
      method,
      params: own,
    });
    if ('kind' in got) return got;
    if ('error' in got) return isUnknownMethod(got) ? { items } : got;
    const result = asObject(got.result) ?? {};
    items.push(...asList(result[member]).filter(isJson));
    cursor = asString(result['nextCursor']);
    if (cursor === undefined) return { items };
  }
  return { error: { code: -32_603, message: `a server has more than ${MOST_PAGES} pages of ${member}` } };
}

async function ask(asked: Asked, seat: Seat, request: Request): Promise<Setback | Response['outcome']> {
  const sent = errorAsMessage(await say(asked, seat, request), request);
  if (sent.kind !== 'speaks') return sent;
  const read = await readResponse(asked, sent.messages, request.id);
  return read.kind === 'answers' ? read.response.outcome : read;
}
