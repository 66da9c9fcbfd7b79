import type { Json } from '../../../../json.ts';
import type { Call, Said } from '../../said.ts';
import { callId } from '../../said.ts';
import type { Problem, SpokenPiece, StreamWriter } from '../format.ts';
import { sse } from '../format.ts';
import { callItem, emptyResponse, ending, messageItem, outputOf, reasoningItem, textPart } from './document.ts';

type ToolPiece = Extract<SpokenPiece, { toolCall: unknown }>['toolCall'];

/** Events of one response. Items are opened when their first piece comes and closed when the next item begins. */
export function responsesStream(said: Said, request: Json, model: string): StreamWriter {
  const empty = emptyResponse(request, model);
  let sequence = -1;
  let outputIndex = -1;
  let open: OpenItem | undefined;
  let begun = false;

  const event = (type: string, members: Json): string => {
    sequence += 1;
    return sse({ type, sequence_number: sequence, ...members }, type);
  };
  const begin = (): string => {
    if (begun) return '';
    begun = true;
    return event('response.created', { response: empty }) + event('response.in_progress', { response: empty });
  };
  const place = (): Json => ({ item_id: open?.id, output_index: outputIndex });
  const close = (): string => {
    if (open === undefined) return '';
    const item = open.whole();
    const inner = open.closing().map(([type, members]) => event(type, { ...place(), ...members }));
    const text = inner.join('') + event('response.output_item.done', { output_index: outputIndex, item });
    open = undefined;
    return text;
  };
  const item = (key: string, make: () => OpenItem): string => {
    if (open?.key === key) return '';
    const before = begin() + close();
    open = make();
    outputIndex += 1;
    const added = event('response.output_item.added', { output_index: outputIndex, item: open.empty });
    return (
      before +
      added +
      open
        .opening()
        .map(([type, members]) => event(type, { ...place(), ...members }))
        .join('')
    );
  };
  const add = (piece: string): string => {
    if (open === undefined || piece === '') return '';
    return event(open.deltaType, { ...place(), ...open.add(piece) });
  };
  const write = (piece: SpokenPiece): string => {
    if ('delta' in piece) return item('message', spokenItem) + add(piece.delta);
    if ('reasoning' in piece) return item('reasoning', thoughtItem) + add(piece.reasoning);
    if (!('toolCall' in piece)) return ''; // reasons and tokens stand in the last event only
    const { index = 0, arguments: text = '' } = piece.toolCall;
    return item(`call ${index}`, () => toolItem(index, piece.toolCall)) + add(text);
  };
  const end = (): string => {
    const rest = begin() + close();
    const response: Json = { ...empty, ...ending(said), output: outputOf(said) };
    return rest + event(`response.${String(response['status'])}`, { response });
  };
  const error = ({ message, code, type }: Problem): string =>
    event('error', { code: code ?? type ?? 'server_error', message, param: null });
  return { write, ping: () => ': keep-alive\n\n', error, end };
}

/** An item that is being written, and what the events around it say. */
interface OpenItem {
  readonly key: string;
  readonly id: string;
  readonly empty: Json;
  readonly deltaType: string;
  readonly opening: () => readonly Step[];
  readonly add: (piece: string) => Json;
  readonly closing: () => readonly Step[];
  readonly whole: () => Json;
}
type Step = readonly [type: string, members: Json];

function spokenItem(): OpenItem {
  let text = '';
  return {
    key: 'message',
    id: 'msg_mock',
    empty: messageItem([], 'in_progress'),
    deltaType: 'response.output_text.delta',
    opening: () => [['response.content_part.added', { content_index: 0, part: textPart('') }]],
    add: (delta) => {
      text += delta;
      return { content_index: 0, delta, logprobs: [] };
    },
    closing: () => [
      ['response.output_text.done', { content_index: 0, text, logprobs: [] }],
      ['response.content_part.done', { content_index: 0, part: textPart(text) }],
    ],
    whole: () => messageItem([text]),
  };
}

function thoughtItem(): OpenItem {
  let text = '';
  const part = (): Json => ({ type: 'summary_text', text });
  return {
    key: 'reasoning',
    id: 'rs_mock',
    empty: { id: 'rs_mock', type: 'reasoning', summary: [] },
    deltaType: 'response.reasoning_summary_text.delta',
    opening: () => [['response.reasoning_summary_part.added', { summary_index: 0, part: part() }]],
    add: (delta) => {
      text += delta;
      return { summary_index: 0, delta };
    },
    closing: () => [
      ['response.reasoning_summary_text.done', { summary_index: 0, text }],
      ['response.reasoning_summary_part.done', { summary_index: 0, part: part() }],
    ],
    whole: () => reasoningItem(text),
  };
}

function toolItem(index: number, { id = callId(index), name = '' }: ToolPiece): OpenItem {
  const call: Call = { id, name, arguments: '' };
  let text = '';
  return {
    key: `call ${index}`,
    id: `fc_${index + 1}`,
    empty: callItem(index, call, 'in_progress'),
    deltaType: 'response.function_call_arguments.delta',
    opening: () => [],
    add: (delta) => {
      text += delta;
      return { delta };
    },
    closing: () => [['response.function_call_arguments.done', { name, arguments: text }]],
    whole: () => callItem(index, { ...call, arguments: text }),
  };
}
