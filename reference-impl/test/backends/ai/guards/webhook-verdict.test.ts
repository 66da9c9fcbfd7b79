import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GuardFailure, type Question } from '../../../../backends/ai/guards/guard.ts';
import type { Json } from '../../../../backends/json.ts';
import { webhookVerdict } from '../../../../backends/ai/guards/webhook-verdict.ts';
import { workBudget } from '../../../../backends/ai/guards/work.ts';
import { Cancellation } from '../../../../base/cancellation.ts';
import { context } from './support.ts';

const work = workBudget(new Cancellation());
const question: Question = { ...context(), phase: 'request', work, texts: [{ role: 'user', text: 'hi' }] };
const ofReply: Question = { ...question, phase: 'response' };

test.each([
  [{ action: {} }, { kind: 'pass' }],
  [{ action: { reason: 'fine' } }, { kind: 'pass' }],
  [{ action: { body: 'no', status_code: 451 } }, { kind: 'reject', status: 451, message: 'no' }],
  [
    { action: { body: { messages: [{ role: 'system', content: 'x' }] } } },
    { kind: 'mask', texts: [{ role: 'system', text: 'x' }] },
  ],
])('%j', (reply, verdict) => {
  expect(webhookVerdict(reply, question)).toEqual(verdict);
});

test.each([
  [{}],
  [{ action: 'pass' }],
  [{ action: { body: 'no' } }],
  [{ action: { body: 'no', status_code: 99 } }],
  [{ action: { body: 7 } }],
  [{ action: { body: { messages: [] } } }],
  [{ action: { body: { messages: [{ role: 'user' }] } } }],
  [{ action: { body: { choices: [{ message: { role: 'assistant', content: 'x' } }] } } }],
])('%j says nothing', (reply) => {
  expect(() => webhookVerdict(reply, question)).toThrow(GuardFailure);
});

function masked(...texts: readonly string[]): Json {
  return { action: { body: { choices: texts.map((content) => ({ message: { role: 'assistant', content } })) } } };
}

test('a reply keeps its number of choices', () => {
  expect(webhookVerdict(masked('x'), ofReply)).toEqual({
    kind: 'mask',
    texts: [{ role: 'assistant', text: 'x' }],
  });
  expect(() => webhookVerdict(masked('x', 'y'), ofReply)).toThrow(GuardFailure);
});

test('whatever a webhook says, there is a verdict or a failure', () => {
  const member = fc.jsonValue();
  const reply = fc.oneof(
    fc.record({ action: member }),
    fc.record({ action: fc.record({ body: member, status_code: member }, { requiredKeys: [] }) }),
    fc.record({ action: fc.record({ body: fc.record({ messages: member, choices: member }) }) }),
  );
  fc.assert(
    fc.property(reply, fc.constantFrom(question, ofReply), (said, asked) => {
      try {
        expect(['pass', 'mask', 'reject']).toContain(webhookVerdict(said, asked).kind);
      } catch (error) {
        expect(error).toBeInstanceOf(GuardFailure);
      }
    }),
  );
});
