import type { Position } from '../values/source-document.ts';

/** An authoring error: what is wrong, and where. */
export interface Problem {
  readonly file: string;
  readonly position: Position;
  readonly message: string;
}

/** `FILE:LINE:COL message`, then the line with a caret under the place. */
export function formatProblem({ file, position, message }: Problem): string {
  return `${file}:${position.line}:${position.column} ${message}\n${formatPlace(position)}`;
}

/** The line of a place with its number, and a caret under the column. */
export function formatPlace({ line, column, lineText }: Position): string {
  const gutter = `${String(line).padStart(5)} | `;
  return `${gutter}${lineText}\n${' '.repeat(gutter.length - 2)}| ${' '.repeat(column - 1)}^`;
}

/** Problems in the order of their files and lines. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted(
    (left, right) =>
      left.file.localeCompare(right.file) ||
      left.position.line - right.position.line ||
      left.position.column - right.position.column,
  );
}
