import type { McpView } from '../../attachment/view.ts';

/** What a target serves under names: tools and prompts by name, resources and their templates by URI, tasks by id. */
export type ItemKind = 'tool' | 'prompt' | 'resource' | 'task';

/** An item as its target knows it. */
export interface Item {
  readonly kind: ItemKind;
  readonly target: string;
  readonly name: string;
}

/** Whose item a name of a client means. */
export type Meant =
  | { readonly item: Item }
  /** The name says nothing of a target: the targets must be asked (MCP-014). */
  | { readonly anyOf: ItemKind }
  | { readonly problem: string };

/** The name of an item as clients know it. docs/decisions/mcp-names.md */
export function outwardName(mcp: McpView, { kind, target, name }: Item): string {
  if (!isPrefixed(mcp, kind)) return name;
  return FORMS[kind].join(target, name);
}

/** The item a client means by a name. MCP-017: the target is told its own name for it. */
export function meantBy(mcp: McpView, kind: ItemKind, name: string): Meant {
  const [only] = mcp.targets;
  if (!isPrefixed(mcp, kind)) {
    return only !== undefined && mcp.targets.length === 1
      ? { item: { kind, target: only.name, name } }
      : { anyOf: kind };
  }
  const parts = FORMS[kind].split(name);
  if (parts === undefined) return { problem: FORMS[kind].malformed };
  const [target, own] = parts;
  if (!mcp.targets.some((each) => each.name === target)) return { problem: `unknown service ${target}` };
  return { item: { kind, target, name: own } };
}

/** MCP-009 to MCP-013, MCP-016: when names carry that of their target. */
export function isPrefixed({ prefixMode, targets }: McpView, kind: ItemKind): boolean {
  const several = targets.length !== 1;
  if (prefixMode === 'Always') return true;
  // Whatever the mode, a URI leads to its target.
  return several && (prefixMode === 'Conditional' || FORMS[kind].always);
}

interface Form {
  readonly join: (target: string, name: string) => string;
  readonly split: (name: string) => readonly [target: string, name: string] | undefined;
  readonly malformed: string;
  /** Whether it carries its target in mode Never too. */
  readonly always: boolean;
}

/** The first separator ends the name of the target, which has none itself. */
function joinedBy(separator: string, malformed: string, always: boolean): Form {
  return {
    join: (target, name) => `${target}${separator}${name}`,
    split: (name) => {
      const at = name.indexOf(separator);
      return at < 0 ? undefined : [name.slice(0, at), name.slice(at + 1)];
    },
    malformed,
    always,
  };
}

const byName = joinedBy('_', 'invalid resource name', false);
const byUri = joinedBy('+', 'invalid resource URI', true);

/** Hosts of user interfaces look at the scheme, so it stays first. */
const UI = 'ui://';
const keepingUi: Form = {
  ...byUri,
  join: (target, uri) =>
    uri.startsWith(UI) ? `${UI}${byUri.join(target, uri.slice(UI.length))}` : byUri.join(target, uri),
  split: (uri) => {
    if (!uri.startsWith(UI)) return byUri.split(uri);
    const parts = byUri.split(uri.slice(UI.length));
    return parts && [parts[0], UI + parts[1]];
  },
};

const FORMS: Readonly<Record<ItemKind, Form>> = {
  tool: byName,
  prompt: byName,
  resource: keepingUi,
  task: joinedBy('+', 'invalid task id', true),
};
