import { expect, test } from 'vitest';
import { isDecided } from '../../schedule/run-steps.ts';

const GOOD = { at: [], what: 'status', ok: true, expected: '200', actual: '200' };
const BAD = { ...GOOD, ok: false, actual: '404' };
const RECORDED = { ...BAD, soft: 'U-001' };

test.each([
  ['nothing was seen yet', [], [], true, false],
  ['all is as expected', [GOOD], [GOOD], true, false],
  ['a control failed', [BAD], [GOOD], false, true],
  ['a check failed, and its reader wants to know what comes behind it', [GOOD], [BAD], false, false],
  ['a check failed, and only whether the case passes matters', [GOOD], [GOOD, BAD], true, true],
  ['a check is merely recorded', [], [RECORDED], true, false],
])('whether the steps can end where %s', (_, controls, checks, brief, decided) => {
  expect(isDecided({ controls, checks, brief })).toBe(decided);
});
