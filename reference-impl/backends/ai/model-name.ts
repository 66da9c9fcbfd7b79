import { ProxyError } from '../../base/proxy-error.ts';

/** Whether the name of a model may stand in a path without leading elsewhere in it, also where it is decoded on the way. */
export function isSafeName(model: string): boolean {
  return !UNSAFE.test(model) && model.split('/').every((segment) => !['', '.', '..'].includes(segment));
}

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSAFE = /[\\%?#<>"`{}|^\u0000-\u0020\u007f]/;

/**
 * The name of a model as one segment of the provider's path. Throws llmRequestInvalid for a name that would not stay one:
 * `..` is no text that escapes change, and `a/../b` is a path again where somebody decodes it. docs/decisions/llm-backends.md
 */
export function modelSegment(model: string): string {
  if (!isSafeName(model)) throw new ProxyError('llmRequestInvalid', 'the name of the model cannot stand in a path');
  return encodeURIComponent(model);
}
