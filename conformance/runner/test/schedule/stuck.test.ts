import { expect, onTestFinished, test } from 'vitest';
import { StuckFault } from '../../sut/session.ts';
import { executeCase } from '../../schedule/execute-case.ts';
import { concreteCase } from '../support/concrete-case.ts';
import { startFakeSession } from '../support/fake-session.ts';
import { instanceOf } from '../support/instance.ts';

test('a case that a fault of neither side kept from being prepared accuses nobody', async () => {
  const fake = await startFakeSession(() => '');
  onTestFinished(() => fake.close());
  const instance = instanceOf(fake.session);
  const error = new StuckFault('the API server answered 401 for Gateway conf-c-1/gw: Unauthorized');
  expect(await executeCase({ case: concreteCase('one'), instance, error })).toMatchObject({
    verdict: 'error',
    fault: 'harness',
    reason: 'the API server answered 401 for Gateway conf-c-1/gw: Unauthorized',
  });
});
