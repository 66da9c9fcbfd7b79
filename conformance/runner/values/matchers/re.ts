import { one } from './matcher.ts';
import type { Matcher } from './matcher.ts';

export const re: Matcher = {
  name: '~re',
  text: 'is a text (or a number) in which the regular expression finds something',
  problem: (argument) =>
    typeof argument === 'string' ? patternProblem(argument) : 'takes a regular expression as text',
  check: (use) => one(use, finds(String(use.argument), use.actual), `text matching /${String(use.argument)}/`),
};

function finds(pattern: string, actual: unknown): boolean {
  const isText = typeof actual === 'string' || typeof actual === 'number';
  return isText && new RegExp(pattern, 'u').test(String(actual));
}

function patternProblem(pattern: string): string | undefined {
  try {
    RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
