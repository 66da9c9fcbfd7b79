import { compile, errorText } from './compile.ts';

/** What is wrong with the text of an expression, as `LINE:COLUMN: message` counted from 1 within it; undefined when nothing is. */
export function checkExpression(text: string): string | undefined {
  const compiled = compile(text);
  return compiled.ok ? undefined : errorText(compiled.error);
}
