import { isList } from './json.ts';
import { label, naming } from './label.ts';
import { show } from './show.ts';

/** Expectation and answer as two short texts that show where they part. */
export interface Difference {
  readonly expected: string;
  readonly actual: string;
}

const LONG = 80;
const CONTEXT = 24;

/** Long texts are cut to the place of the first difference, lists of named things to their names. */
export function difference(expected: unknown, actual: unknown): Difference {
  if (typeof expected === 'string' && typeof actual === 'string') return textDifference(expected, actual);
  if (isList(expected) && isList(actual)) return listDifference(expected, actual);
  return { expected: show(expected), actual: show(actual) };
}

function textDifference(expected: string, actual: string): Difference {
  if (expected.length <= LONG && actual.length <= LONG) return { expected: show(expected), actual: show(actual) };
  if (expected === actual) return { expected: show(expected), actual: show(actual) };
  const at = firstDifference(expected, actual);
  return { expected: window(expected, at), actual: window(actual, at) };
}

function firstDifference(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index += 1) if (left[index] !== right[index]) return index;
  return shorter;
}

function window(text: string, at: number): string {
  const start = Math.max(0, at - CONTEXT);
  const end = Math.min(text.length, at + CONTEXT);
  const cut = `${start === 0 ? '' : '…'}${text.slice(start, end)}${end === text.length ? '' : '…'}`;
  return `${JSON.stringify(cut)} (character ${at + 1} of ${text.length})`;
}

function listDifference(expected: readonly unknown[], actual: readonly unknown[]): Difference {
  const named = [...expected, ...actual].some((item) => naming(item) !== undefined);
  const text = (items: readonly unknown[]): string =>
    named ? `${items.length}: [${items.map(label).join(', ')}]` : show(items);
  return { expected: text(expected), actual: text(actual) };
}
