/** Part of a text: from its first character up to, and without, the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What the builtins of all guards may do for one body, in steps: looking at one character once is a step. docs/decisions/prompt-guard.md */
export interface Work {
  /**
   * Called before the work is done. Throws a GuardFailure when the budget is spent, the reason of the cancellation when nobody
   * waits any more. Now and then others have their turn first: then there is something to wait for, which may reject with either.
   */
  readonly spend: (steps: number) => Promise<void> | undefined;
}

/** What is looked for, and what stands in its place afterwards. */
export interface MaskRule {
  readonly token: string;
  /** Matches in order, not empty and not overlapping. Rejects when the rule cannot be used, and as its work does. */
  readonly find: (text: string, work: Work) => readonly Span[] | Promise<readonly Span[]>;
}

/** A text whose matches are hidden. */
export interface Masked {
  readonly text: string;
  /** Where each character of `text` comes from; a token comes from the start of its match. Undefined: nothing changed. */
  readonly origins: readonly number[] | undefined;
  /** The parts of the original that are hidden, in order; they do not overlap. */
  readonly hidden: readonly Span[];
}

/**
 * Hides every match of every rule. A rule sees what the rules before it left. `seams` are places where parts of the text
 * meet: a match may reach over one, as if nothing stood there.
 */
export async function mask(
  original: string,
  rules: readonly MaskRule[],
  work: Work,
  seams: readonly number[] = [],
): Promise<Masked> {
  let now: Masked = { text: original, origins: undefined, hidden: [] };
  for (const { token, find } of rules) {
    const pause = work.spend(0);
    if (pause !== undefined) await pause;
    const found = await find(now.text, work);
    const spans = seams.length === 0 ? found : mergeSpans([...found, ...(await overSeams(now, seams, find, work))]);
    if (spans.length > 0) now = replaceSpans(now, spans, token, original.length);
  }
  return now;
}

/** Matches of the text without its seams, as far as they reach over one, in the places of the text with them. */
async function overSeams(
  now: Masked,
  seams: readonly number[],
  find: MaskRule['find'],
  work: Work,
): Promise<readonly Span[]> {
  const left = seamsLeft(now, seams);
  const pieces = [...left, now.text.length].map((seam, index) => now.text.slice((left[index - 1] ?? -1) + 1, seam));
  const spans = await find(pieces.join(''), work);
  return spans.flatMap(({ start, end }) => {
    const [before, within] = [seamsBefore(left, start), seamsBefore(left, end - 1)];
    return before === within ? [] : [{ start: start + before, end: end + within }];
  });
}

/** The seams that no match has swallowed, where they are now. */
function seamsLeft({ text, origins }: Masked, seams: readonly number[]): readonly number[] {
  if (origins === undefined) return seams;
  const known = new Set(seams);
  return [...origins.keys()].filter((place) => known.has(origins[place] ?? -1) && /\s/.test(text.charAt(place)));
}

/** How many seams stand before a place of the text without them. */
function seamsBefore(seams: readonly number[], place: number): number {
  let [from, to] = [0, seams.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((seams[middle] ?? 0) - middle <= place) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Overlapping spans become one; empty ones are left out. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const result: Span[] = [];
  for (const span of spans.filter(({ start, end }) => end > start).toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}

function replaceSpans(before: Masked, spans: readonly Span[], token: string, length: number): Masked {
  const origin = (index: number): number =>
    index >= before.text.length ? length : before.origins === undefined ? index : (before.origins[index] ?? length);
  const pieces: string[] = [];
  const origins: number[] = [];
  const keep = (from: number, to: number): void => {
    pieces.push(before.text.slice(from, to));
    for (let index = from; index < to; index += 1) origins.push(origin(index));
  };
  let done = 0;
  for (const { start, end } of spans) {
    keep(done, start);
    pieces.push(token);
    for (let index = 0; index < token.length; index += 1) origins.push(origin(start));
    done = end;
  }
  keep(done, before.text.length);
  const hidden = spans.map(({ start, end }) => ({ start: origin(start), end: origin(end) }));
  return { text: pieces.join(''), origins, hidden: mergeSpans([...before.hidden, ...hidden]) };
}
