import { describe, expect, test } from 'vitest';
import { BUILTINS, type Builtin } from '../../../../backends/ai/guards/builtins.ts';
import { GuardFailure } from '../../../../backends/ai/guards/guard.ts';
import { regex } from '../../../../backends/ai/guards/regex.ts';
import { guardRequest } from '../../../../backends/ai/guards/run-guards.ts';
import { workBudget } from '../../../../backends/ai/guards/work.ts';
import { FORMATS } from '../../../../backends/ai/formats/registry.ts';
import { Cancellation } from '../../../../base/cancellation.ts';
import { ProxyError } from '../../../../base/proxy-error.ts';
import { context } from './support.ts';

const builtins: readonly Builtin[] = ['Ssn', 'CreditCard', 'PhoneNumber', 'Email', 'CaSin'];
/** 190 kB in which a number might begin everywhere. */
const nearlyNumbers = '1 '.repeat(95_000);

function asking(text: string, cancellation = new Cancellation()): Parameters<typeof guardRequest> {
  const guard = { ...regex({ builtins: ['PhoneNumber'] }, 'request'), response: undefined };
  const llmRequest = { model: 'm', messages: [{ role: 'user', content: text }] };
  return [[guard], FORMATS.completions, { ...context(cancellation), llmRequest }];
}

describe('the work of builtins', () => {
  test('has an end for each body, and that end is a failure of the guard', async () => {
    await expect(guardRequest(...asking(nearlyNumbers))).rejects.toMatchObject({
      code: 'promptGuardFailed',
      cause: { name: 'GuardFailure' },
    });
  }, 60_000);

  test('is enough for a long list of numbers', async () => {
    const guarded = await guardRequest(...asking('+1 212 555 2368, '.repeat(3000)));
    expect(JSON.stringify(guarded)).not.toContain('2368');
  });

  test('is one budget for all texts of a body', async () => {
    const work = workBudget(new Cancellation());
    await work.spend(20 * 1024 * 1024);
    await expect(work.spend(20 * 1024 * 1024)).rejects.toBeInstanceOf(GuardFailure);
  });

  test.each(builtins)('of %s is counted', async (builtin) => {
    const spent: number[] = [];
    await BUILTINS[builtin].find('212-555-2368', { spend: async (steps) => void spent.push(steps) });
    expect(Math.max(...spent)).toBeGreaterThanOrEqual('212-555-2368'.length);
  });

  test.each(builtins)('of %s ends when nobody waits any more', async (builtin) => {
    const cancellation = new Cancellation();
    cancellation.cancel(new ProxyError('clientGone'));
    const text = '212-555-2368 '.repeat(100);
    await expect((async () => BUILTINS[builtin].find(text, workBudget(cancellation)))()).rejects.toMatchObject({
      code: 'clientGone',
    });
  });

  test('ends in the middle of a body when its client goes', async () => {
    const cancellation = new Cancellation();
    const guarded = guardRequest(...asking(nearlyNumbers, cancellation));
    setImmediate(() => {
      cancellation.cancel(new ProxyError('clientGone'));
    });
    await expect(guarded).rejects.toMatchObject({ code: 'clientGone' });
  });
});
