import type { Json } from '../../../../json.ts';
import type { Call, Said } from '../../said.ts';
import { callId } from '../../said.ts';
import type { Tokens } from '../../script.ts';
import type { LlmFormat, SpokenPiece, StreamWriter } from '../format.ts';
import { sse } from '../format.ts';
import { googleCredentialProblem, googleError, queryOf } from '../google-dialect.ts';
import { generateContentProblem } from './request.ts';

/** The native form of provider 5; its models speak it on the platform of cloud C too. */
export const generateContent: LlmFormat = {
  name: 'GenerateContent',
  path: '/v1beta/models/gemini-2.5-flash:generateContent',
  at: (path) => {
    const [, model, streamed] = PLACE.exec(path) ?? [];
    return model === undefined ? undefined : { model: decodeURIComponent(model), streaming: streamed !== undefined };
  },
  headerProblem: googleCredentialProblem,
  bodyProblem: generateContentProblem,
  error: googleError,
  reply: (said, _, model) => ({ ...head(model), candidates: candidates(said), ...usage(said.tokens) }),
  stream,
};

const PLACE =
  /^\/(?:v1(?:beta)?\/models|v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models)\/([^/:]+):(?:generateContent|(streamGenerateContent))$/;

function head(model: string): Json {
  return { responseId: 'resp-mock', modelVersion: model };
}

function candidates(said: Said): readonly Json[] {
  const texts = said.texts.length === 0 ? [''] : said.texts;
  return texts.map((text, index) => ({
    index,
    content: {
      role: 'model',
      parts: [
        ...(said.reasoning === '' ? [] : [{ text: said.reasoning, thought: true }]),
        ...(text === '' ? [] : [{ text }]),
        ...said.calls.map((call, at) => callPart(call, at, said)),
      ],
    },
    finishReason: FINISH[said.finish] ?? said.finish,
  }));
}

/** The first call after thoughts is signed. Ids are there when the script names them. */
function callPart({ id, name, arguments: text }: Call, index: number, { reasoning }: Said): Json {
  const named = id === callId(index) ? {} : { id };
  const signature = index === 0 && reasoning !== '' ? { thoughtSignature: 'c2lnbmVk' } : {};
  return { functionCall: { ...named, name, args: JSON.parse(text === '' ? '{}' : text) as unknown }, ...signature };
}

const FINISH: Readonly<Record<string, string>> = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tools: 'STOP',
  filter: 'SAFETY',
};

/** What the model thought is counted beside what it said. */
function usage(tokens: Tokens | undefined): Json {
  if (tokens === undefined) return {};
  const { input, output, cached, reasoning } = tokens;
  return {
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output - (reasoning ?? 0),
      totalTokenCount: input + output,
      ...(cached === undefined ? {} : { cachedContentTokenCount: cached }),
      ...(reasoning === undefined ? {} : { thoughtsTokenCount: reasoning }),
    },
  };
}

/** Each event is a reply in itself, with the usage of the moment; the last one has the reason. */
function stream(said: Said, _request: Json, model: string, target: string): StreamWriter {
  let finished = false;
  const framing = queryOf(target).get('alt') === 'sse' ? EVENTS : entriesOfList();
  const { frame } = framing;
  const soFar = said.tokens && { input: said.tokens.input, output: 1 };
  const event = (index: number, parts: readonly Json[], more: Json = {}, tokens: Tokens | undefined = soFar): string =>
    frame({ ...head(model), candidates: [{ index, content: { role: 'model', parts }, ...more }], ...usage(tokens) });
  const finish = (word: string): string => {
    if (finished) return '';
    finished = true;
    return event(0, [{ text: '' }], { finishReason: FINISH[word] ?? word }, said.tokens);
  };
  const write = (piece: SpokenPiece): string => {
    if ('delta' in piece) return event(piece.choice ?? 0, [{ text: piece.delta }]);
    if ('reasoning' in piece) return event(0, [{ text: piece.reasoning, thought: true }]);
    if ('finish' in piece) return finish(piece.finish);
    if (!('toolCall' in piece) || piece.toolCall.name === undefined) return '';
    // Calls come whole.
    const index = piece.toolCall.index ?? 0;
    const call = said.calls[index];
    return call === undefined ? '' : event(0, [callPart(call, index, said)]);
  };
  return {
    ...framing,
    write,
    error: (problem) => frame(googleError(problem)),
    end: () => finish(said.finish) + framing.close,
  };
}

const EVENTS = { frame: (event: Json) => sse(event), ping: () => ': keep-alive\n\n', close: '' };

/** Without `alt=sse` the stream is one long list, as all services of cloud C write what comes bit by bit. */
function entriesOfList() {
  let begun = false;
  const frame = (entry: Json | string): string => {
    const before = begun ? ',\r\n' : '[';
    begun = true;
    return before + (typeof entry === 'string' ? entry : JSON.stringify(entry, undefined, 2));
  };
  return { type: 'application/json; charset=UTF-8', frame, event: frame, ping: () => '', close: '\n]' };
}
