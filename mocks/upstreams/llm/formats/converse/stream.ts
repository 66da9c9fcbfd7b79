import type { Json } from '../../../../json.ts';
import type { Said } from '../../said.ts';
import { callId } from '../../said.ts';
import type { SpokenPiece, StreamWriter } from '../format.ts';
import { converseUsage, STOP_REASON } from './dialect.ts';
import { eventFrame, exceptionFrame } from './frames.ts';

/** Events of Converse: blocks follow each other; only those of tools have a start, and the tokens come last. */
export function converseStream(said: Said): StreamWriter {
  const state: { begun: boolean; open: string | undefined; index: number; ended: boolean } = {
    begun: false,
    open: undefined,
    index: -1,
    ended: false,
  };

  const begin = (): readonly Buffer[] => {
    if (state.begun) return [];
    state.begun = true;
    return [event('messageStart', { role: 'assistant' })];
  };
  const close = (): readonly Buffer[] => {
    if (state.open === undefined) return [];
    state.open = undefined;
    return [event('contentBlockStop', { contentBlockIndex: state.index })];
  };
  const block = (key: string, start?: Json): readonly Buffer[] => {
    if (state.open === key) return [];
    const before = [...begin(), ...close()];
    state.index += 1;
    state.open = key;
    return [
      ...before,
      ...(start === undefined ? [] : [event('contentBlockStart', { start, contentBlockIndex: state.index })]),
    ];
  };
  const delta = (content: Json): Buffer =>
    event('contentBlockDelta', { delta: content, contentBlockIndex: state.index });
  const stop = (finish: string): readonly Buffer[] => {
    if (state.ended) return [];
    state.ended = true;
    return [...begin(), ...close(), event('messageStop', { stopReason: STOP_REASON[finish] ?? finish })];
  };
  const call = ({ index = 0, id, name, arguments: text }: ToolPiece): readonly Buffer[] => [
    ...block(`tool ${index}`, { toolUse: { toolUseId: id ?? callId(index), name: name ?? '' } }),
    ...(text === undefined ? [] : [delta({ toolUse: { input: text } })]),
  ];
  const write = (piece: SpokenPiece): readonly Buffer[] => {
    if ('delta' in piece) return [...block(`text ${piece.choice ?? 0}`), delta({ text: piece.delta })];
    if ('reasoning' in piece) return [...block('reasoning'), delta({ reasoningContent: { text: piece.reasoning } })];
    if ('toolCall' in piece) return call(piece.toolCall);
    return stop('finish' in piece ? piece.finish : said.finish);
  };
  const metadata = (): readonly Buffer[] => {
    if (said.tokens === undefined) return [];
    return [event('metadata', { metrics: { latencyMs: 7 }, usage: converseUsage(said.tokens) })];
  };
  return {
    type: 'application/vnd.amazon.eventstream',
    write: (piece) => Buffer.concat(write(piece)),
    ping: () => '',
    error: exceptionFrame,
    event: (data, type = '') => eventFrame(type, typeof data === 'string' ? {} : data),
    end: () => Buffer.concat([...stop(said.finish), ...metadata()]),
  };
}

/** Every event has some characters that mean nothing, so that its length tells nothing. */
function event(type: string, members: Json): Buffer {
  return eventFrame(type, { ...members, p: 'abcdefghi' });
}

type ToolPiece = Extract<SpokenPiece, { toolCall: unknown }>['toolCall'];
