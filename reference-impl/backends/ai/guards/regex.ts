import type { RE2JS } from 're2js';
import { compilePattern } from '../../../base/re2.ts';
import type { PromptguardRequest } from '../../../resources/proxy-policy/fields/ai/prompt-guard.ts';
import { BUILTINS } from './builtins.ts';
import { GuardFailure, PASS, REJECT, type Guard, type Phase, type Question, type Verdict } from './guard.ts';
import { mask, mergeSpans, type MaskRule, type Span } from './mask.ts';

type Regex = NonNullable<PromptguardRequest['regex']>;

/** GUARD-013: the patterns first, then the builtins. GUARD-017: whatever the action, answers are masked. */
export function regex({ matches = [], builtins = [], action = 'Mask' }: Regex, phase: Phase): Omit<Guard, 'response'> {
  const rules = [...matches.map(patternRule), ...builtins.map((name) => BUILTINS[name])];
  // GUARD-014, GUARD-016
  const rejects = phase === 'request' && action === 'Reject';
  return {
    failOpen: 'never',
    ...(rejects ? {} : { masks: rules }),
    check: (question) => (rejects ? judged(question, rules) : hideMatches(question, rules)),
  };
}

/** What stands for a match of a pattern of one's own. */
const TOKEN = '<masked>';

/** GUARD-007: found anywhere in the text. RE2, so that no pattern can take longer than its text deserves. */
function patternRule(pattern: string): MaskRule {
  const compiled = compilePattern(pattern);
  return {
    token: TOKEN,
    find: (text) => {
      // A guard that looks for nothing would let everything pass.
      if (compiled === undefined) throw new GuardFailure(`no RE2 expression: ${pattern}`);
      return findMatches(compiled, text);
    },
  };
}

function findMatches(pattern: RE2JS, text: string): readonly Span[] {
  const spans: Span[] = [];
  const matcher = pattern.matcher(text);
  while (matcher.find()) spans.push({ start: matcher.start(), end: matcher.end() });
  return mergeSpans(spans);
}

async function judged({ texts, work }: Question, rules: readonly MaskRule[]): Promise<Verdict> {
  for (const { text, seams } of texts) {
    const { hidden: matches } = await mask(text, rules, work, seams);
    if (matches.length > 0) return REJECT;
  }
  return PASS;
}

/** GUARD-015 */
async function hideMatches({ texts, work }: Question, rules: readonly MaskRule[]): Promise<Verdict> {
  // One after the other, so that the first failure is the last.
  const masked = await inTurn(texts, async ({ role, text, seams }) => ({
    role,
    text: (await mask(text, rules, work, seams)).text,
  }));
  return masked.every(({ text }, index) => text === texts[index]?.text) ? PASS : { kind: 'mask', texts: masked };
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  task: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) results.push(await task(item, index));
  return results;
}
