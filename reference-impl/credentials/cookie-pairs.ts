import type { HeaderMap } from '../base/headers.ts';

/** The cookies of a request as they came, `name=value` each, without the space between them. */
export function cookiePairs(headers: HeaderMap): readonly string[] {
  return headers
    .getAll('cookie')
    .flatMap((value) => value.split(';'))
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '');
}

/** What stands before and behind the `=`. */
export function splitCookie(pair: string): readonly [name: string, value: string] {
  const equals = pair.indexOf('=');
  if (equals < 0) return [pair.trim(), ''];
  return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}
