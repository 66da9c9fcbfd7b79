import { asObject, asString, type Json, memberAt } from '../json.ts';
import type { ItemKind } from './names.ts';

/*
 * THE TABLE OF METHODS: which of them go to one target and which to all, and what becomes of several answers.
 */

export type Method = ToOne | ToAll;

/** For the target whose item the request names. */
export interface ToOne {
  readonly to: 'one';
  /** Where params name the item; undefined when they name none. */
  readonly itemIn: (params: Json) => NamedItem | undefined;
}

/** For every target. */
export interface ToAll {
  readonly to: 'all';
  /** The lists of all targets are one; without it an empty result says that all have heard. */
  readonly list?: ItemList;
}

export interface NamedItem {
  readonly kind: ItemKind;
  readonly name: string;
  /** Where the name stands. */
  readonly at: readonly string[];
}

/** The member of a result that is a list of items, and where each has its name. */
export interface ItemList {
  readonly member: string;
  readonly kind: ItemKind;
  readonly name: string;
}

/** How the items of a kind are listed. */
export const LISTS: Readonly<Record<ItemKind, { readonly method: string; readonly list: ItemList }>> = {
  tool: { method: 'tools/list', list: { member: 'tools', kind: 'tool', name: 'name' } },
  prompt: { method: 'prompts/list', list: { member: 'prompts', kind: 'prompt', name: 'name' } },
  resource: { method: 'resources/list', list: { member: 'resources', kind: 'resource', name: 'uri' } },
  task: { method: 'tasks/list', list: { member: 'tasks', kind: 'task', name: 'taskId' } },
};

export const METHODS: Readonly<Record<string, Method>> = {
  ping: { to: 'all' },
  'logging/setLevel': { to: 'all' },
  'tools/list': listOf(LISTS.tool.list),
  'tools/call': one('tool', 'name'),
  'prompts/list': listOf(LISTS.prompt.list),
  'prompts/get': one('prompt', 'name'),
  'resources/list': listOf(LISTS.resource.list),
  'resources/templates/list': listOf({ member: 'resourceTemplates', kind: 'resource', name: 'uriTemplate' }),
  'resources/read': one('resource', 'uri'),
  'resources/subscribe': one('resource', 'uri'),
  'resources/unsubscribe': one('resource', 'uri'),
  'completion/complete': { to: 'one', itemIn: referredItem },
  'tasks/list': listOf(LISTS.task.list),
  'tasks/get': one('task', 'taskId'),
  'tasks/result': one('task', 'taskId'),
  'tasks/cancel': one('task', 'taskId'),
};

/** What is known of a method; undefined for one of which nothing is known. */
export function methodOf(name: string): Method | undefined {
  return Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
}

function one(kind: ItemKind, member: string): ToOne {
  return {
    to: 'one',
    itemIn: (params) => {
      const name = asString(params[member]);
      return name === undefined ? undefined : { kind, name, at: [member] };
    },
  };
}

function listOf(list: ItemList): ToAll {
  return { to: 'all', list };
}

/** A completion is for an argument of a prompt or of a template. */
function referredItem(params: Json): NamedItem | undefined {
  const reference = REFERENCES[asString(memberAt(asObject(params['ref']), ['type'])) ?? ''];
  if (reference === undefined) return undefined;
  const name = asString(memberAt(params, ['ref', reference.member]));
  return name === undefined ? undefined : { kind: reference.kind, name, at: ['ref', reference.member] };
}

const REFERENCES: Readonly<Record<string, { readonly kind: ItemKind; readonly member: string }>> = {
  'ref/prompt': { kind: 'prompt', member: 'name' },
  'ref/resource': { kind: 'resource', member: 'uri' },
};
