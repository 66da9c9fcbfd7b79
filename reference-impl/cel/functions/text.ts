import { CelScalar, celFunc, celMethod } from '@bufbuild/cel';
import type { CelFunc } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { payForSize, spend } from '../frame.ts';
import { matches, pattern } from '../pattern.ts';

const { BOOL, STRING } = CelScalar;

/** The strings extension and what docs/decisions/cel-functions.md adds to it. `matches` is RE2 through the environment. */
export const TEXT_FUNCTIONS: readonly CelFunc[] = [
  ...strings,
  celMethod('reverse', STRING, [], STRING, function () {
    return Array.from(this).toReversed().join('');
  }),
  celMethod('stripPrefix', STRING, [STRING], STRING, function (prefix) {
    return this.startsWith(prefix) ? this.slice(prefix.length) : this;
  }),
  celMethod('stripSuffix', STRING, [STRING], STRING, function (suffix) {
    return suffix !== '' && this.endsWith(suffix) ? this.slice(0, -suffix.length) : this;
  }),
  // The FIRST match only; `$1` names a group.
  celMethod('regexReplace', STRING, [STRING, STRING], STRING, function (expression, replacement) {
    spend((this.length * expression.length) >> 8);
    return payForSize(pattern(expression).matcher(this).replaceFirst(replacement, true));
  }),
  celFunc('matches', [STRING, STRING], BOOL, matches),
];
