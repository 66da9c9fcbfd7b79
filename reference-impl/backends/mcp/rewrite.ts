import type { McpView } from '../../attachment/view.ts';
import { isJson, type Json } from '../json.ts';
import type { ItemList } from './multiplexing.ts';
import { type ItemKind, outwardName } from './names.ts';

/** Where a result came from, and how its names are to be told. */
export interface Source {
  readonly mcp: McpView;
  readonly target: string;
}

/** The result of one target under the names that clients know: contents, resources they lead to, tasks. */
export function outwardResult(source: Source, result: unknown): unknown {
  if (!isJson(result)) return result;
  let rewritten: Json = withTaskId(source, result);
  if (Array.isArray(result['content']))
    rewritten = { ...rewritten, content: result['content'].map((block) => outwardBlock(source, block)) };
  if (Array.isArray(result['messages']))
    rewritten = { ...rewritten, messages: result['messages'].map((message) => outwardMessage(source, message)) };
  if (Array.isArray(result['contents']))
    rewritten = {
      ...rewritten,
      contents: result['contents'].map((content) => withName(source, content, 'resource', 'uri')),
    };
  if (isJson(result['task'])) rewritten = { ...rewritten, task: withTaskId(source, result['task']) };
  return rewritten;
}

/** The items of a list of one target under the names that clients know. */
export function outwardItems(source: Source, items: readonly Json[], { kind, name }: ItemList): readonly Json[] {
  return items.map((item) => withName(source, item, kind, name)).filter(isJson);
}

function withTaskId(source: Source, task: Json): Json {
  const renamed = withName(source, task, 'task', 'taskId');
  return isJson(renamed) ? renamed : task;
}

/** MCP-016: a link in what a tool or a prompt says leads somewhere too. */
function outwardBlock(source: Source, block: unknown): unknown {
  if (!isJson(block)) return block;
  if (block['type'] === 'resource_link') return withName(source, block, 'resource', 'uri');
  if (block['type'] !== 'resource') return block;
  return { ...block, resource: withName(source, block['resource'], 'resource', 'uri') };
}

function outwardMessage(source: Source, message: unknown): unknown {
  return isJson(message) ? { ...message, content: outwardBlock(source, message['content']) } : message;
}

function withName({ mcp, target }: Source, item: unknown, kind: ItemKind, member: string): unknown {
  if (!isJson(item)) return item;
  const name = item[member];
  return typeof name === 'string' ? { ...item, [member]: outwardName(mcp, { kind, target, name }) } : item;
}
