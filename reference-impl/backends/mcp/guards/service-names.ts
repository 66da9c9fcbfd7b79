import type { McpView } from '../../../attachment/view.ts';
import type { Asked } from '../asked.ts';
import type { Notification, Request } from '../message.ts';
import { methodOf } from '../multiplexing.ts';
import { type Item, meantBy } from '../names.ts';

/** The item a call names, as far as the name says whose it is. */
export function meantItem(mcp: McpView, { method, params }: Call): Item | undefined {
  const known = methodOf(method);
  const named = known?.to === 'one' ? known.itemIn(params ?? {}) : undefined;
  const meant = named && meantBy(mcp, named.kind, named.name);
  return meant !== undefined && 'item' in meant ? meant.item : undefined;
}

/** The target a call is for; all of them when it names none. */
export function serviceNames({ mcp }: Asked, call: Call): string[] {
  const item = meantItem(mcp, call);
  return item === undefined ? mcp.targets.map(({ name }) => name) : [item.target];
}

type Call = Request | Notification;
