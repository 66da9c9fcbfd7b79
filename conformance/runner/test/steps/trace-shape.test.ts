import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { armTrace } from '../../steps/trace-client.ts';
import type { OperationAnswer } from '../../sut/session.ts';
import { stepContext } from '../support/step-context.ts';

const EVENT = {
  eventEnd: 1,
  message: { type: 'policySelection', phase: 'route', effectivePolicy: { filters: ['flat'] } },
};

async function selectionOf(ops: readonly string[], answer: OperationAnswer): Promise<unknown> {
  const server = createServer((_, response) => response.end(`data: ${JSON.stringify(EVENT)}\n\n`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const endpoint = { host: '127.0.0.1', port: typeof address === 'object' && address !== null ? address.port : 0 };
  const context = await stepContext({ data: endpoint, admin: endpoint });
  const asked: unknown[] = [];
  const session = {
    ...context.session,
    ops,
    op: async (name: string, input: unknown) => {
      asked.push([name, input]);
      return answer;
    },
  };
  try {
    await armTrace({ watch: 't' }, { ...context, session });
    const watch = context.background.traces.get('t');
    await watch?.settled(1000);
    const { events } = watch?.observation() ?? {};
    return { events, asked };
  } finally {
    context.background.stop();
    server.close();
  }
}

test('an adapter puts the effective policy of a trace into the shape of the resources', async () => {
  const effectivePolicy = { timeouts: { request: '1s' } };
  expect(await selectionOf(['canonical-policy'], { kind: 'result', result: effectivePolicy })).toMatchObject({
    events: [{ type: 'policySelection', effectivePolicy, message: { effectivePolicy } }],
    asked: [['canonical-policy', { phase: 'route', effectivePolicy: { filters: ['flat'] } }]],
  });
});

test('without that operation, or when it knows no answer, the trace stays as it is', async () => {
  const asWritten = { events: [{ effectivePolicy: { filters: ['flat'] } }] };
  expect(await selectionOf([], { kind: 'result', result: {} })).toMatchObject({ ...asWritten, asked: [] });
  expect(await selectionOf(['canonical-policy'], { kind: 'unsupported', message: 'no' })).toMatchObject(asWritten);
});
