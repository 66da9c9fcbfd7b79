/** What the hook does to a source file as it loads: the text at an offset becomes another one. */
export interface Replacement {
  readonly file: string;
  readonly at: number;
  readonly text: string;
  readonly replace: string;
}

/** The text of a file after its replacements, which are given last place first. */
export function applyAll(text: string, lastFirst: readonly Replacement[]): string {
  return lastFirst.reduce(
    (now, { at, text: old, replace }) => now.slice(0, at) + replace + now.slice(at + old.length),
    text,
  );
}
