/** Part of a text: from its first character up to, and without, the last. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What the builtins of all guards may do for one body, in steps: looking at one character once is a step. docs/decisions/prompt-guard.md */
export interface Work {
  /**
   * Called before the work is done. Rejects with a GuardFailure when the budget is spent, with the reason of the
   * cancellation when nobody waits any more; now and then others have their turn first.
   */
  readonly spend: (steps: number) => Promise<void>;
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

/** Hides every match of every rule. A rule sees what the rules before it left. */
export async function mask(original: string, rules: readonly MaskRule[], work: Work): Promise<Masked> {
  let now: Masked = { text: original, origins: undefined, hidden: [] };
  for (const { token, find } of rules) {
    const spans = await find(now.text, work);
    if (spans.length > 0) now = replaceSpans(now, spans, token, original.length);
  }
  return now;
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
