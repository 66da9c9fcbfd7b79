import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Format, Json } from './format.ts';

/**
 * Tokens of the text a request gives its model: 3 and 1 for the role per message, what the text has, and 3 for the
 * reply to begin. An estimate: the vocabulary of a model that nobody knows is taken to be the usual one. Tools and
 * pictures are not counted.
 */
export async function countTokens(format: Pick<Format, 'prompt'>, request: Json, model: string): Promise<number> {
  const tokensOf = await vocabularyOf(model);
  let total = PER_REPLY;
  for (const { text } of format.prompt(request)) total += PER_MESSAGE + PER_ROLE + (await textTokens(text, tokensOf));
  return total;
}

const PER_MESSAGE = 3;
const PER_ROLE = 1;
const PER_REPLY = 3;

type TokensOf = (text: string) => number;

/** Models of the newer vocabulary, by what their names begin with; all others have the older one. */
const NEWER = /^(?:gpt-4o|gpt-4\.1|gpt-4\.5|chatgpt-4o|gpt-5|gpt-oss|o\d)/;

/** Vocabularies are large: each is loaded when the first request wants it. */
async function vocabularyOf(model: string): Promise<TokensOf> {
  const { countTokens: count } = NEWER.test(model)
    ? await import('gpt-tokenizer/encoding/o200k_base')
    : await import('gpt-tokenizer/encoding/cl100k_base');
  return (text) => count(text, PLAIN);
}

/** What looks like a control token is text like any other. */
const PLAIN = { disallowedSpecial: new Set<string>() };

/** A long text is counted in several turns, so that other requests go on meanwhile. */
async function textTokens(text: string, tokensOf: TokensOf): Promise<number> {
  let total = 0;
  let turn = 0;
  for (const piece of pieces(text)) {
    total += tokensOf(piece);
    turn += piece.length;
    if (turn < CHARACTERS_PER_TURN) continue;
    turn = 0;
    await nextTurn();
  }
  return total;
}

const CHARACTERS_PER_TURN = 16 * 1024;

/** The time for one word grows with the square of its length, so runs without a break are cut. */
function* pieces(text: string): Iterable<string> {
  let start = 0;
  for (const { index, 0: run } of text.matchAll(UNBROKEN)) {
    yield text.slice(start, index + run.length);
    start = index + run.length;
  }
  if (start < text.length) yield text.slice(start);
}

const UNBROKEN = /\S{64}|\s{64}/gu;
