import type { Json } from '../../../../json.ts';
import type { Said } from '../../said.ts';
import { callId } from '../../said.ts';
import type { SpokenPiece, StreamWriter } from '../format.ts';
import { sse } from '../format.ts';
import { countsAtTheEnd, messagesError, messageUsage, STOP_REASON } from './dialect.ts';

type Kind = 'text' | 'thinking' | 'tool_use';

/** Events of one message: blocks follow each other. The counts at the end are those of the whole message, the input among them, as the API has it. */
export function messagesStream(said: Said, _request: Json, model: string): StreamWriter {
  const state: { begun: boolean; open: string | undefined; kind: Kind | undefined; index: number; ended: boolean } = {
    begun: false,
    open: undefined,
    kind: undefined,
    index: -1,
    ended: false,
  };

  const begin = (): string => {
    if (state.begun) return '';
    state.begun = true;
    return event('message_start', { message: emptyMessage(said, model) });
  };
  const close = (): string => {
    if (state.open === undefined) return '';
    state.open = undefined;
    const signed = state.kind === 'thinking' ? delta({ type: 'signature_delta', signature: 'c2lnbmVk' }) : '';
    return signed + event('content_block_stop', { index: state.index });
  };
  /** Begins a block unless the one that is open is the wanted one. */
  const block = (key: string, kind: Kind, start: Json): string => {
    if (state.open === key) return '';
    const before = begin() + close();
    state.index += 1;
    state.open = key;
    state.kind = kind;
    return before + event('content_block_start', { index: state.index, content_block: { type: kind, ...start } });
  };
  const delta = (content: Json): string => event('content_block_delta', { index: state.index, delta: content });
  const stop = (finish: string): string => {
    if (state.ended) return '';
    state.ended = true;
    const usage = said.tokens === undefined ? {} : { usage: countsAtTheEnd(said.tokens) };
    const reason = STOP_REASON[finish] ?? finish;
    return (
      begin() + close() + event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, ...usage })
    );
  };
  const call = ({ index = 0, id, name, arguments: text }: ToolPiece): string => {
    const key = `tool_use ${index}`;
    const start = block(key, 'tool_use', { id: id ?? callId(index), name: name ?? '', input: {} });
    return text === undefined ? start : start + delta({ type: 'input_json_delta', partial_json: text });
  };
  const write = (piece: SpokenPiece): string => {
    if ('delta' in piece)
      return (
        block(`text ${piece.choice ?? 0}`, 'text', { text: '' }) + delta({ type: 'text_delta', text: piece.delta })
      );
    if ('reasoning' in piece)
      return (
        block('thinking', 'thinking', { thinking: '', signature: '' }) +
        delta({ type: 'thinking_delta', thinking: piece.reasoning })
      );
    if ('toolCall' in piece) return call(piece.toolCall);
    if ('finish' in piece) return stop(piece.finish);
    return stop(said.finish);
  };
  return {
    write,
    ping: () => begin() + event('ping', {}),
    error: (problem) => sse(messagesError(problem), 'error'),
    end: () => stop(said.finish) + event('message_stop', {}),
  };
}

type ToolPiece = Extract<SpokenPiece, { toolCall: unknown }>['toolCall'];

function event(type: string, members: Json): string {
  return sse({ type, ...members }, type);
}

function emptyMessage({ tokens }: Said, model: string): Json {
  const usage = tokens === undefined ? {} : { usage: messageUsage({ ...tokens, output: 1 }) };
  return {
    id: 'msg_mock',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...usage,
  };
}
