import { expect, test } from 'vitest';
import { stepKinds } from '../../steps/registry.ts';
import type { Observation, StepContext } from '../../steps/step.ts';
import { stepContext } from '../support/step-context.ts';

const NOWHERE = { host: '127.0.0.1', port: 1 };

/** Repeats a step that sees these bodies, one after the other. */
async function repeat(input: object, bodies: readonly string[], more: Partial<StepContext> = {}): Promise<Observation> {
  const left = [...bodies];
  const nested = async (): Promise<Observation> => ({ status: 200, body: left.shift() ?? 'none' });
  const context = await stepContext({ data: NOWHERE }, { nested, ...more });
  return (await stepKinds['repeat']?.run({ step: { id: 'one', http: { GET: '/' } }, ...input }, context)) ?? {};
}

test('without until a step is done so many times', async () => {
  const seen = await repeat({ times: 4 }, ['a', 'b', 'a', 'a']);
  expect(seen).toMatchObject({ statuses: { '200': 4 }, bodies: { a: 3, b: 1 } });
  expect(seen).not.toHaveProperty('reached');
});

test('until ends it with the first time that matches', async () => {
  const seen = await repeat({ times: 4, until: { status: { '~class': '2xx' }, body: 'b' } }, ['a', 'b', 'c']);
  expect(seen).toMatchObject({ reached: true, bodies: { a: 1, b: 1 } });
  expect(seen).not.toHaveProperty('failure');
});

test('what is never seen is a failure of the step, after so many times or when its time is over', async () => {
  expect(await repeat({ times: 3, until: { body: 'b' } }, [])).toMatchObject({
    reached: false,
    failure: 'not seen in 3 times',
  });
  const late = await repeat({ times: 10_000, every: '1ms', until: { body: 'b' } }, [], { limitMs: 20 });
  expect(late['failure']).toMatch(/^not seen in \d{1,2} times$/);
});

test('no answer in time is not what is waited for, unless it is named', async () => {
  const until = { status: { '~absent': true } };
  expect(await repeat({ times: 2, until }, [], { nested: failing('timeout') })).toMatchObject({ reached: false });
  expect(await repeat({ times: 2, until }, [], { nested: failing('closed') })).toMatchObject({ reached: true });
  expect(await repeat({ times: 2, until: { failure: 'timeout' } }, [], { nested: failing('timeout') })).toMatchObject({
    reached: true,
  });
});

/** A step that gets no answer, for one reason or another. */
function failing(failure: string): () => Promise<Observation> {
  return async () => ({ failure });
}
