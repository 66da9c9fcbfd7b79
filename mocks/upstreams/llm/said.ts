import type { LlmReply, Piece, Tokens } from './script.ts';

/** Everything a reply says, whatever its format. */
export interface Said {
  readonly texts: readonly string[];
  readonly reasoning: string;
  readonly calls: readonly Call[];
  /** Undefined: the reply says nothing about tokens. */
  readonly tokens: Tokens | undefined;
  /** A neutral word (`stop`, `length`, `tools`, `filter`) or one of the format. */
  readonly finish: string;
  /** Of a list of models; empty: the one of the format. */
  readonly models: readonly string[];
}

/** A tool call of the model. */
export interface Call {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

const DEFAULT_TEXT = 'Hello there, how can I help?';

/** What a scripted reply says; the pieces of a stream are gathered as a client would gather them. */
export function saidBy(reply: LlmReply): Said {
  const pieces = piecesOf(reply);
  const calls = callsOf(pieces);
  const texts = textsOf(pieces);
  return {
    texts,
    reasoning: pieces.map((piece) => ('reasoning' in piece ? piece.reasoning : '')).join(''),
    calls,
    tokens: tokensOf(reply, pieces, texts),
    finish: finishOf(reply, pieces, calls),
    models: reply.models ?? [],
  };
}

/** The pieces a reply has in a stream; a reply that was written as a whole is cut into words. */
export function piecesOf(reply: LlmReply): readonly Piece[] {
  if (reply.stream !== undefined) return reply.stream;
  const texts = [reply.text ?? (reply.toolCalls === undefined ? DEFAULT_TEXT : [])].flat();
  return [
    ...(reply.reasoning === undefined ? [] : [{ reasoning: reply.reasoning }]),
    ...texts.flatMap((text, choice) => words(text).map((delta) => ({ delta, choice }))),
    ...(reply.toolCalls ?? []).flatMap(({ id, name, arguments: given = {} }, index) => [
      { toolCall: { index, name, ...(id === undefined ? {} : { id }) } },
      ...halves(typeof given === 'string' ? given : JSON.stringify(given)).map((part) => ({
        toolCall: { index, arguments: part },
      })),
    ]),
  ];
}

/** The id of a call that the script gives none. */
export function callId(index: number): string {
  return `call_${index + 1}`;
}

function words(text: string): readonly string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text];
}

/** A call arrives in pieces, so that whoever reads only the first notices. */
function halves(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}

function textsOf(pieces: readonly Piece[]): readonly string[] {
  const texts: string[] = [];
  for (const piece of pieces) {
    if (!('delta' in piece)) continue;
    const choice = piece.choice ?? 0;
    while (texts.length <= choice) texts.push('');
    texts[choice] += piece.delta;
  }
  return texts;
}

function callsOf(pieces: readonly Piece[]): readonly Call[] {
  const calls = new Map<number, Call>();
  for (const piece of pieces) {
    if (!('toolCall' in piece)) continue;
    const { index = 0, id, name = '', arguments: part = '' } = piece.toolCall;
    const known = calls.get(index) ?? { id: id ?? callId(index), name, arguments: '' };
    calls.set(index, { ...known, arguments: known.arguments + part });
  }
  return [...calls.values()];
}

/** One token per word is near enough to be believed, and easy to foresee. */
function tokensOf(reply: LlmReply, pieces: readonly Piece[], texts: readonly string[]): Tokens | undefined {
  if (reply.usage === false) return undefined;
  const piece = pieces.find((one) => 'usage' in one);
  if (piece !== undefined && 'usage' in piece) return piece.usage;
  return reply.usage ?? { input: 12, output: texts.reduce((sum, text) => sum + words(text).length, 0) };
}

function finishOf(reply: LlmReply, pieces: readonly Piece[], calls: readonly Call[]): string {
  const piece = pieces.find((one) => 'finish' in one);
  if (piece !== undefined && 'finish' in piece) return piece.finish;
  return reply.finish ?? (calls.length > 0 ? 'tools' : 'stop');
}
