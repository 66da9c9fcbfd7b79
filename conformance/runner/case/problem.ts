import type { Path } from '../values/check.ts';
import type { Position } from '../values/source-document.ts';

/** An authoring error: what is wrong, and where. */
export interface Problem {
  readonly file: string;
  readonly position: Position;
  /** The member it is about; empty for a mistake of YAML itself. */
  readonly path: Path;
  readonly message: string;
}

/** `FILE:LINE:COL message`, then the line with a caret under the place and the path of the member. */
export function formatProblem({ file, position, message, path }: Problem): string {
  const { line, column, lineText } = position;
  const gutter = `${String(line).padStart(5)} | `;
  const place = path.length === 0 ? '' : ` ${pathText(path)}`;
  return [
    `${file}:${line}:${column} ${message}`,
    `${gutter}${lineText}`,
    `${' '.repeat(gutter.length - 2)}| ${' '.repeat(column - 1)}^${place}`,
  ].join('\n');
}

/** A path as people write it: `cases[0].steps[1].http.GET`. */
function pathText(path: Path): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
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
