/** Where an expression is wrong; lines and columns count from 1. */
export interface ExpressionError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The line, and below it a mark under the place. */
  readonly picture: string;
  /** Of the place in the whole text. */
  readonly offset: number;
}

/** Reads `invalid expression: LINE:COLUMN: message`, as the trace stream refuses; undefined for any other text. */
export function readExpressionError(refusal: string, expression: string): ExpressionError | undefined {
  const [, line, column, message] = /^invalid expression: (\d+):(\d+): (.*)$/s.exec(refusal.trim()) ?? [];
  if (line === undefined || column === undefined || message === undefined) return undefined;
  const lines = expression.split('\n');
  const at = { line: Number(line), column: Number(column) };
  const before = lines.slice(0, at.line - 1).reduce((sum, { length }) => sum + length + 1, 0);
  const picture = `${lines[at.line - 1] ?? ''}\n${' '.repeat(Math.max(0, at.column - 1))}▲`;
  return { ...at, message, picture, offset: before + at.column - 1 };
}
