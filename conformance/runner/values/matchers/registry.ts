import { absent } from './absent.ts';
import { any } from './any.ts';
import { base64 } from './base64.ts';
import { between } from './between.ts';
import { bytes } from './bytes.ts';
import { capture } from './capture.ts';
import { contains } from './contains.ts';
import { count } from './count.ts';
import { declared } from './declared.ts';
import { duration } from './duration.ts';
import { each } from './each.ts';
import { eq } from './eq.ts';
import { exact } from './exact.ts';
import { ge } from './ge.ts';
import { glob } from './glob.ts';
import { gt } from './gt.ts';
import { isIn } from './in.ts';
import { json } from './json.ts';
import { jwt } from './jwt.ts';
import { le } from './le.ts';
import { len } from './len.ts';
import { lt } from './lt.ts';
import { maybe } from './maybe.ts';
import { ne } from './ne.ts';
import { none } from './none.ts';
import { not } from './not.ts';
import { prefixOf } from './prefix-of.ts';
import { re } from './re.ts';
import { sameAs } from './same-as.ts';
import { statusClass } from './class.ts';
import { subset } from './subset.ts';
import { times } from './times.ts';
import { type } from './type.ts';
import { unordered } from './unordered.ts';
import { conditional, filler, list, members } from './written-forms.ts';
import type { Matcher } from './matcher.ts';

/** Every matcher, in the order of the documentation. */
// prettier-ignore
export const MATCHERS: readonly Matcher[] = [
  eq, ne, re, glob, isIn, not, any, absent, type,
  gt, ge, lt, le, between, len,
  prefixOf, contains, none, each, exact, subset, unordered, count, maybe, times,
  json, base64, jwt, duration, bytes, statusClass, sameAs, capture, declared, conditional, filler, list, members,
];

const byName: ReadonlyMap<string, Matcher> = new Map(MATCHERS.map((matcher) => [matcher.name, matcher]));

/** The matcher of a key such as `~re`. */
export function matcherNamed(name: string): Matcher | undefined {
  return byName.get(name);
}
