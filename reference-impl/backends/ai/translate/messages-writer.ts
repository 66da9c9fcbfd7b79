import { parseJson } from '../../json.ts';
import type { Json } from '../../json.ts';
import type { StreamEvent } from '../streams/stream-event.ts';
import { messageEvent } from './message-event.ts';

/** Writes a stream in the messages format: numbered blocks, one open at a time. */
export interface MessagesWriter {
  readonly start: (id: string, model: string) => readonly StreamEvent[];
  readonly text: (piece: string) => readonly StreamEvent[];
  /** A tool call begins or goes on; `key` tells the calls of one reply apart. */
  readonly tool: (key: string | number, piece: ToolPiece) => readonly StreamEvent[];
  readonly finish: (stopReason: string, usage: Json) => readonly StreamEvent[];
  readonly finished: () => boolean;
}

export interface ToolPiece {
  readonly id?: string;
  readonly name?: string;
  /** The next characters of the arguments. */
  readonly arguments?: string;
}

interface ToolBlock {
  readonly id: string;
  name: string;
  /** All characters of the arguments so far. */
  arguments: string;
  /** How many of them are written. */
  written: number;
  state: 'waiting' | 'open' | 'closed';
  /** Length of the arguments when they were last looked at, so that each is parsed once. */
  looked: number;
}

/**
 * A writer for one stream. Pieces of several tool calls may come mixed: a call is held back while another one has not got
 * all its arguments, so no piece is lost and blocks do not overlap.
 */
export function messagesWriter(): MessagesWriter {
  const tools = new Map<string | number, ToolBlock>();
  let open: ToolBlock | 'text' | undefined;
  let index = -1;
  let finished = false;

  const close = (): readonly StreamEvent[] => {
    if (open === undefined) return [];
    if (open !== 'text') open.state = 'closed';
    open = undefined;
    return [messageEvent({ type: 'content_block_stop', index })];
  };

  const openTool = (tool: ToolBlock): readonly StreamEvent[] => {
    const closed = close();
    open = tool;
    tool.state = 'open';
    index += 1;
    const block = { type: 'tool_use', id: tool.id, name: tool.name, input: {} };
    return [
      ...closed,
      messageEvent({ type: 'content_block_start', index, content_block: block }),
      ...writeArguments(tool),
    ];
  };

  const writeArguments = (tool: ToolBlock): readonly StreamEvent[] => {
    const piece = tool.arguments.slice(tool.written);
    tool.written = tool.arguments.length;
    if (piece === '') return [];
    return [
      messageEvent({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: piece } }),
    ];
  };

  /** Opens what waits, in the order in which the calls began, up to the first that has not got all its arguments. */
  const openWaiting = (): readonly StreamEvent[] => {
    const events: StreamEvent[] = [];
    for (const tool of tools.values()) {
      if (tool.state !== 'waiting') continue;
      if (open !== undefined && open !== 'text' && !hasAll(open)) break;
      events.push(...openTool(tool));
    }
    return events;
  };

  return {
    start: (id, model) => {
      const usage = { input_tokens: 0, output_tokens: 0 };
      const message = {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage,
      };
      return [messageEvent({ type: 'message_start', message })];
    },
    text: (piece) => {
      if (piece === '') return [];
      const opened = open === 'text' ? [] : [...close(), messageEvent(startOfText(++index))];
      open = 'text';
      return [
        ...opened,
        messageEvent({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } }),
      ];
    },
    tool: (key, piece) => {
      const known = tools.get(key);
      const tool = known ?? newTool(key, piece);
      tools.set(key, tool);
      if (known !== undefined && tool.state === 'waiting') tool.name += piece.name ?? '';
      tool.arguments += piece.arguments ?? '';
      return [...(tool.state === 'open' ? writeArguments(tool) : []), ...openWaiting()];
    },
    finish: (stopReason, usage) => {
      const waiting = [...tools.values()].filter((tool) => tool.state === 'waiting').flatMap(openTool);
      const delta = { stop_reason: stopReason, stop_sequence: null };
      finished = true;
      return [
        ...waiting,
        ...close(),
        messageEvent({ type: 'message_delta', delta, usage }),
        messageEvent({ type: 'message_stop' }),
      ];
    },
    finished: () => finished,
  };
}

function startOfText(index: number): Json & { readonly type: string } {
  return { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
}

function newTool(key: string | number, { id = `tool_call_${key}`, name = '' }: ToolPiece): ToolBlock {
  return { id, name, arguments: '', written: 0, state: 'waiting', looked: -1 };
}

/** Whether the arguments are a whole JSON object, so nothing more is to come. */
function hasAll(tool: ToolBlock): boolean {
  if (tool.looked === tool.arguments.length || !tool.arguments.endsWith('}')) return false;
  tool.looked = tool.arguments.length;
  return parseJson(tool.arguments) !== undefined;
}
