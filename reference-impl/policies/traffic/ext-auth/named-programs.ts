import { compileOrFail } from '../../../cel/compile.ts';
import type { Program, VariableSource } from '../../../cel/program.ts';

export interface NamedProgram {
  readonly name: string;
  readonly program: Program;
}

/** The expressions of a map field, in its order. */
export function compileNamed(expressions: Readonly<Record<string, string>> = {}): readonly NamedProgram[] {
  return Object.entries(expressions).map(([name, text]) => ({ name, program: compileOrFail(text) }));
}

/** The values by name; an entry whose expression fails is skipped. */
export function evaluateNamed(
  programs: readonly NamedProgram[],
  variables: VariableSource,
): readonly (readonly [name: string, value: unknown])[] {
  return programs.flatMap(({ name, program }) => {
    const evaluation = program.evaluate(variables);
    return evaluation.ok ? [[name, evaluation.value] as const] : [];
  });
}
