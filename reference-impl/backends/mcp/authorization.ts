import { perObject } from '../../base/per-object.ts';
import type { VariableSource } from '../../cel/program.ts';
import { allows, compileRules, type Rule } from '../../policies/traffic/authorization.ts';
import type { Authorization } from '../../resources/proxy-policy/fields/authorization.ts';
import type { Asked } from './asked.ts';
import { asList, asString, isJson, type Json } from '../json.ts';
import { messageVariables } from './message-variables.ts';
import type { ItemList } from './multiplexing.ts';
import type { Item } from './names.ts';

/** MCP-034: whether the rules of the backend let a client have one item; each item is judged by itself. docs/decisions/mcp-errors.md */
export function mayUse(asked: Asked, item: Item): boolean {
  const field = asked.exchange.backend.policies.mcp?.authorization;
  return field === undefined || allows(rulesOf(field), variablesFor(asked, item));
}

/** MCP-030: the items of a list that a client may use. */
export function usableItems(asked: Asked, target: string, result: Json, list: ItemList): readonly Json[] {
  return asList(result[list.member])
    .filter(isJson)
    .filter((item) => mayUseListed(asked, target, item, list));
}

export function mayUseListed(asked: Asked, target: string, item: Json, { kind, name }: ItemList): boolean {
  return mayUse(asked, { kind, target, name: asString(item[name]) ?? '' });
}

/** Whether there is anything to be judged. */
export function hasRules({ exchange }: Asked): boolean {
  return exchange.backend.policies.mcp?.authorization !== undefined;
}

const rulesOf = perObject((field: Authorization): readonly Rule[] => compileRules([field]));

/** Names are those that the targets know. */
function variablesFor(asked: Asked, { kind, target, name }: Item): VariableSource {
  const known = messageVariables(asked);
  return (root) => {
    const value = known(root);
    if (root !== 'mcp') return value;
    return { ...(isJson(value) ? value : {}), [kind]: { ...detailsIn(value, kind), target, name } };
  };
}

/** What is known of an item beside whose it is: the arguments of a call. */
function detailsIn(mcp: unknown, kind: string): object {
  const known = isJson(mcp) ? mcp[kind] : undefined;
  return isJson(known) ? known : {};
}
