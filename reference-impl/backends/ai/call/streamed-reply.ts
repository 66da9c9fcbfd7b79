import type { FormatName, Json, ToolCall } from '../formats/format.ts';
import { asNumber, asObject, asObjects, asString } from '../../json.ts';
import { callKeys } from '../formats/call-keys.ts';

/** What a model said in a stream, put together from the events of the client's format. */
export interface StreamedReply {
  readonly event: (event: Json) => void;
  /** Text, per choice or block. */
  readonly completion: () => readonly string[];
  readonly toolCalls: () => readonly ToolCall[];
}

/** Begins to listen. Undefined for a format whose replies say nothing in words. */
export function streamedReply(format: FormatName): StreamedReply | undefined {
  const pieces = PIECES[format]?.();
  if (pieces === undefined) return undefined;
  const texts = new Map<string, string>();
  const calls = new Map<string, ToolCall>();
  let kept = 0;
  return {
    event: (event) => {
      for (const piece of pieces(event)) {
        kept += (piece.text ?? '').length + (piece.arguments ?? '').length;
        if (kept > MAX_KEPT_CHARACTERS) return;
        if (piece.text !== undefined) texts.set(piece.at, (texts.get(piece.at) ?? '') + piece.text);
        else calls.set(piece.at, continueCall(calls.get(piece.at), piece));
      }
    },
    completion: () => [...texts.values()],
    toolCalls: () => [...calls.values()],
  };
}

/** What one stream may keep in memory; the rest of it is not seen by expressions. */
const MAX_KEPT_CHARACTERS = 4 * 1024 * 1024;

/** A piece of text, or of the tool call that stands at the same place. */
interface Piece {
  readonly at: string;
  readonly text?: string;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
}

const PIECES: Readonly<Partial<Record<FormatName, () => (event: Json) => readonly Piece[]>>> = {
  completions: piecesOfChunk,
  messages: () => piecesOfMessageEvent,
  responses: () => piecesOfResponseEvent,
};

function continueCall(known: ToolCall | undefined, piece: Piece): ToolCall {
  return {
    id: piece.id ?? known?.id ?? '',
    name: piece.name ?? known?.name ?? '',
    arguments: (known?.arguments ?? '') + (piece.arguments ?? ''),
  };
}

function piecesOfChunk(): (chunk: Json) => readonly Piece[] {
  const keys = new Map<string, ReturnType<typeof callKeys>>();
  return (chunk) =>
    asObjects(chunk['choices']).flatMap((choice) => {
      const place = String(asNumber(choice['index']) ?? 0);
      const keyOf = keys.get(place) ?? callKeys();
      keys.set(place, keyOf);
      const delta = asObject(choice['delta']) ?? {};
      const text = asString(delta['content']);
      const calls = asObjects(delta['tool_calls']).map((call, position): Piece => {
        const called = asObject(call['function']) ?? {};
        return {
          at: `${place}.${keyOf(call, position)}`,
          id: asString(call['id']),
          name: asString(called['name']),
          arguments: asString(called['arguments']),
        };
      });
      return text === undefined || text === '' ? calls : [{ at: place, text }, ...calls];
    });
}

function piecesOfMessageEvent(event: Json): readonly Piece[] {
  const at = String(asNumber(event['index']) ?? 0);
  const block = asObject(event['content_block']);
  if (block?.['type'] === 'tool_use') return [{ at, id: asString(block['id']), name: asString(block['name']) }];
  const delta = asObject(event['delta']);
  if (delta?.['type'] === 'text_delta') return [{ at, text: asString(delta['text']) ?? '' }];
  return delta?.['type'] === 'input_json_delta' ? [{ at, arguments: asString(delta['partial_json']) }] : [];
}

function piecesOfResponseEvent(event: Json): readonly Piece[] {
  const at = String(asNumber(event['output_index']) ?? 0);
  if (event['type'] === 'response.output_text.delta') {
    return [{ at: `${at}.${asNumber(event['content_index']) ?? 0}`, text: asString(event['delta']) ?? '' }];
  }
  if (event['type'] === 'response.function_call_arguments.delta') return [{ at, arguments: asString(event['delta']) }];
  const item = event['type'] === 'response.output_item.added' ? asObject(event['item']) : undefined;
  if (item?.['type'] !== 'function_call') return [];
  return [{ at, id: asString(item['call_id']), name: asString(item['name']) }];
}
