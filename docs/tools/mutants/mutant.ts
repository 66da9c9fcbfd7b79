/** One change of the reference, as Stryker's instrumenter makes it. */
export interface Mutant {
  /** Its switch. */
  readonly id: string;
  /** Relative to the package. */
  readonly file: string;
  /** As Stryker calls it. */
  readonly mutator: string;
  readonly line: number;
  readonly lastLine: number;
  /** The declaration it stands in; empty above the first. */
  readonly within: string;
  readonly original: string;
  readonly replacement: string;
}

/** `reference-impl/a.ts:12 a < b → a <= b`, on one line. */
export function mutantText({ file, line, original, replacement }: Mutant): string {
  return `${file}:${line} ${short(original)} → ${short(replacement)}`;
}

/** What stays the same while other lines of the file change. */
export function mutantName({
  file,
  within,
  mutator,
  original,
  replacement,
}: Omit<Mutant, 'id' | 'line' | 'lastLine'>): string {
  return [file, within, mutator, original, replacement].join('\n');
}

const SHORT = 60;

function short(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ');
  return flat.length > SHORT ? `${flat.slice(0, SHORT - 1)}…` : flat;
}
