import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../mocks/listen.ts';
import { stepKinds } from '../../steps/registry.ts';
import type { Observation } from '../../steps/step.ts';
import { stepContext } from '../support/step-context.ts';

/** Does a step beside metrics of which each look sees what `text` says of it, counted from 1. */
async function measure(
  text: (look: number) => string,
  nested: () => void,
  asked: Readonly<Record<string, unknown>> = {},
  answerAfter = 0,
): Promise<Observation> {
  let looks = 0;
  const server = createServer((_, response) => {
    const answer = (): unknown => response.end(text((looks += 1)));
    if (answerAfter === 0) answer();
    else setTimeout(answer, answerAfter);
  });
  const { port, close } = await listen(server, { host: '127.0.0.1' });
  onTestFinished(close);
  const context = await stepContext({ data: { host: '127.0.0.1', port } }, { limitMs: 10_000 });
  const endpoints = { ...context.session.endpoints, metrics: `http://127.0.0.1:${port}/metrics` };
  const done = async (): Promise<Observation> => {
    nested();
    return {};
  };
  const input = { families: '*requests*', step: { id: 'call', http: { GET: '/' } } };
  const run = stepKinds['metrics']?.run;
  return (
    (await run?.(input, { ...context, expect: asked, session: { ...context.session, endpoints }, nested: done })) ?? {}
  );
}

test('what still changes before the step is not what the step has changed', async () => {
  let calls = 0;
  const seen = await measure(
    (look) => `requests{of="another"} ${Math.min(look, 3)}\nrequests{of="this"} ${calls}\nuptime ${look}\n`,
    () => (calls += 1),
  );
  expect(seen['changed']).toEqual([{ family: 'requests', name: 'requests', labels: { of: 'this' }, value: 1 }]);
});

test('metrics that always change are not waited for', async () => {
  let calls = 0;
  const seen = await measure(
    (look) => `requests{of="always"} ${look}\nrequests{of="this"} ${calls}\n`,
    () => (calls += 1),
  );
  expect(seen['changed']).toContainEqual({ family: 'requests', name: 'requests', labels: { of: 'this' }, value: 1 });
});

test('a page that takes long to tell is looked at a few times before the step, not as often as others', async () => {
  let calls = 0;
  let before = 0;
  const seen = await measure(
    (look) => {
      if (calls === 0) before = look;
      return `requests{of="always"} ${look}\nrequests{of="this"} ${calls}\n`;
    },
    () => (calls += 1),
    {},
    300,
  );
  expect(before).toBeLessThan(6);
  expect(seen['changed']).toContainEqual({ family: 'requests', name: 'requests', labels: { of: 'this' }, value: 1 });
});

test('what is asked for is waited for, also where something else changes long before it', async () => {
  let calls = 0;
  const asked = { family: 'requests', name: 'requests', labels: { of: 'this' }, value: 1 };
  const seen = await measure(
    (look) => `requests{of="early"} ${calls}\nrequests{of="this"} ${look > 12 ? calls : 0}\n`,
    () => (calls += 1),
    { changed: { '~contains': { labels: { of: 'this' } } } },
  );
  expect(seen['changed']).toContainEqual(asked);
});

test('metrics that nobody serves are refused, and say so', async () => {
  const server = createServer();
  const { port, close } = await listen(server, { host: '127.0.0.1' });
  await close();
  const context = await stepContext({ data: { host: '127.0.0.1', port } }, { limitMs: 10_000 });
  const endpoints = { ...context.session.endpoints, metrics: `http://127.0.0.1:${port}/metrics` };
  const seen = await stepKinds['metrics']?.run({}, { ...context, session: { ...context.session, endpoints } });
  expect(seen).toMatchObject({ failure: 'refused' });
});
