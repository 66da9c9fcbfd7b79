import { parse } from '@bufbuild/cel';
import { LRUCache } from 'lru-cache';
import { planProgram } from './evaluate.ts';
import { ExpressionError, lower } from './lower.ts';
import type { Evaluation, Program } from './program.ts';
import { shortenWhiteSpace } from './white-space.ts';

export type { Evaluation, Program, VariableSource } from './program.ts';

/** `line` and `column` count from 1. */
export interface CompileError {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export type Compiled =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly error: CompileError };

/** The length the resources allow for a CELExpression. */
const MAX_TEXT = 16_384;
/** Equal texts share one program across policies and generations of the configuration. */
const cache = new LRUCache<string, Compiled>({ max: 10_000 });

/** Parses, checks and plans an expression. Never throws; the same text gives the same result object while it is cached. */
export function compile(text: string): Compiled {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const compiled = compileAnew(text);
  cache.set(text, compiled);
  return compiled;
}

/** The program of an expression, or one that always fails with what is wrong with it. */
export function compileOrFail(text: string): Program {
  const compiled = compile(text);
  return compiled.ok ? compiled.program : alwaysFails(text, errorText(compiled.error));
}

/** `LINE:COLUMN: message` */
export function errorText({ line, column, message }: CompileError): string {
  return `${line}:${column}: ${message}`;
}

/** Stands in for an expression that cannot be compiled, so that its policy stays in force and fails closed. */
export function alwaysFails(text: string, reason: string): Program {
  const failure: Evaluation = { ok: false, error: reason };
  return { text, variables: new Set(), bodies: new Set(), evaluate: () => failure };
}

function compileAnew(text: string): Compiled {
  if (text.length > MAX_TEXT) return compileError(`longer than ${MAX_TEXT} characters`, text, 0);
  const { text: shortened, originalOffset } = shortenWhiteSpace(text);
  try {
    const parsed = parse(shortened);
    const lowered = lower(parsed.expr, parsed.sourceInfo?.positions ?? {});
    const { variables, bodies } = lowered;
    return { ok: true, program: { text, variables, bodies, evaluate: planProgram(lowered) } };
  } catch (error) {
    return refusedBy(error, text, originalOffset);
  }
}

function refusedBy(error: unknown, text: string, original: (offset: number) => number): Compiled {
  if (error instanceof ExpressionError) return compileError(error.message, text, original(error.offset));
  // The parser and the planner recurse; an expression that exhausts the stack is refused like any other bad one.
  if (error instanceof RangeError) return compileError('nested too deeply', text, 0);
  const message = error instanceof Error ? error.message.replace(/^<input>:\d+:\d+: /, '') : String(error);
  return compileError(message, text, original(syntaxErrorOffset(error)));
}

/** The engine's syntax errors carry a `location`; its type is not exported. */
function syntaxErrorOffset(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('location' in error)) return 0;
  const location: unknown = error.location;
  if (typeof location !== 'object' || location === null || !('start' in location)) return 0;
  const start: unknown = location.start;
  if (typeof start !== 'object' || start === null || !('offset' in start)) return 0;
  return typeof start.offset === 'number' ? start.offset : 0;
}

function compileError(message: string, text: string, offset: number): Compiled {
  const before = text.slice(0, offset).split('\n');
  return { ok: false, error: { message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 } };
}
