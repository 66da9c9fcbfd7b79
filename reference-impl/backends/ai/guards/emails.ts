import type { Span, Work } from './mask.ts';

/**
 * E-mail addresses: what stands before and after an `@` and looks like one. Goes from `@` to `@`, so that
 * a text made of nearly-addresses takes no longer than another.
 */
export async function findEmails(text: string, work: Work): Promise<readonly Span[]> {
  await work.spend(text.length);
  const spans: Span[] = [];
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const start = localPart(text, at, spans.at(-1)?.end ?? 0);
    const end = domain(text, at + 1);
    if (start < at && end !== undefined) spans.push({ start, end });
  }
  return spans;
}

const LOCAL = /[A-Za-z0-9_.+-]/;
const DOMAIN = /[A-Za-z0-9-]+\.[A-Za-z0-9.-]+/y;

/** Where the part before the `@` begins; `at` itself when there is none. */
function localPart(text: string, at: number, least: number): number {
  let start = at;
  while (start > least && LOCAL.test(text.charAt(start - 1))) start -= 1;
  return start;
}

function domain(text: string, from: number): number | undefined {
  DOMAIN.lastIndex = from;
  return DOMAIN.test(text) ? DOMAIN.lastIndex : undefined;
}
