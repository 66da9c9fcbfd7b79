import { isObject } from '../json.ts';
import { one } from './matcher.ts';
import type { Matcher, MatcherUse } from './matcher.ts';

export const declared: Matcher = {
  name: '~declared',
  text: 'matches what the manifest answers to this open point; without an answer `else` is looked at and only recorded',
  modifiers: ['else'],
  problem: (argument) =>
    /^U-\d{3}(\.[\w.-]+)?$/.test(String(argument)) ? undefined : 'takes an open point such as U-021 or U-021.status',
  check: (use) => {
    const answer = answerOf(use);
    if (answer !== undefined) return use.match(answer, use.actual, use.context);
    const context = { ...use.context, soft: 'observe' as const };
    if ('else' in use.written) return use.match(use.written['else'], use.actual, context);
    return one({ ...use, context }, true, 'whatever it is (open point)');
  },
};

function answerOf({ argument, context }: MatcherUse): unknown {
  const answers = context.scope['unspecified'];
  return isObject(answers) ? answers[String(argument)] : undefined;
}
