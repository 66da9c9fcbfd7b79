import { expect, test } from 'vitest';
import { StuckFault } from '../../sut/session.ts';
import { executeCase } from '../../schedule/execute-case.ts';
import { concreteCase } from '../support/concrete-case.ts';

test('a case that a fault of neither side kept from being prepared accuses nobody', async () => {
  const error = new StuckFault('the API server answered 401 for Gateway conf-c-1/gw: Unauthorized');
  expect(await executeCase({ case: concreteCase('one'), error })).toMatchObject({
    verdict: 'error',
    fault: 'harness',
    reason: 'the API server answered 401 for Gateway conf-c-1/gw: Unauthorized',
  });
});
