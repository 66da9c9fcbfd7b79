import { describe, expect, test } from 'vitest';
import { ProxyError } from '../../base/proxy-error.ts';
import type { Answer, Routed } from '../../exchange/exchange.ts';
import type { CompiledPhase, PolicyField } from '../../pipeline/compile-phase.ts';
import { enter, type Journey } from '../../pipeline/journey.ts';
import { reportReplyHeaders } from '../../pipeline/report-half.ts';
import { respond } from '../../pipeline/respond.ts';
import { createRecorder } from '../../trace/recorder.ts';
import type { TraceEvent } from '../../trace/events.ts';
import { answerOf, exchangeOf } from '../policies/support/exchange.ts';
import { SERVICES } from '../support/inert.ts';
import { manualClock } from '../trace/manual-clock.ts';

type Half = (answer: Answer) => Answer | Promise<Answer>;

/** A request that passed one policy of the route, with a watcher; the policy has this response half. */
function journeyWith(field: PolicyField, half: Half): { readonly journey: Journey; readonly rows: () => string[] } {
  const events: TraceEvent[] = [];
  const trace = createRecorder({ event: (event) => events.push(event), finished: () => {} }, manualClock());
  const exchange = { ...exchangeOf(), trace };
  const run = (_: unknown, answer: Answer): Answer | Promise<Answer> => half(answer);
  const phase: CompiledPhase<Routed> = { steps: [], responses: new Map([[field, { index: 0, run }]]) };
  const journey: Journey = { received: exchange, route: { ...enter(phase, exchange), reached: 1 } };
  const rows = (): string[] =>
    events.map(({ message }) => (message.type === 'responseSnapshot' ? message.stage : message.type));
  return { journey, rows };
}

const tagged: Half = (answer) => ({ ...answer, headers: answer.headers.set('x-tag', 'y') });
const ROW = { phase: 'route', field: 'headerModifiers', clauses: [] } as const;

describe('a response half of a traced request', () => {
  test.each<[string, Half]>([
    ['at once', tagged],
    ['after a while', (answer) => Promise.resolve(tagged(answer))],
  ])('shows the answer it made %s', async (_, half) => {
    const { journey, rows } = journeyWith('headerModifiers', half);
    const answer = await respond(journey, answerOf(200), SERVICES, [ROW]);
    expect(answer.headers.get('x-tag')).toBe('y');
    expect(rows()).toEqual(['response header modifier']);
  });

  test('that leaves the answer alone, or fails, has nothing to show', async () => {
    const idle = journeyWith('headerModifiers', (answer) => answer);
    await respond(idle.journey, answerOf(200), SERVICES, [ROW]);
    expect(idle.rows()).toEqual([]);
    const failing = journeyWith('headerModifiers', () => Promise.reject(new ProxyError('filterFailed')));
    expect((await respond(failing.journey, answerOf(200), SERVICES, [ROW])).from).toBe('failure');
    expect(failing.rows()).toEqual([]);
  });

  test('without a stage is not shown', async () => {
    const { journey, rows } = journeyWith('transformation', tagged);
    await respond(journey, answerOf(200), SERVICES, [{ ...ROW, field: 'transformation' }]);
    expect(rows()).toEqual([]);
  });
});

test('fields for the answer are shown when there were some', () => {
  const { journey, rows } = journeyWith('cors', tagged);
  const answer = answerOf(200);
  expect(reportReplyHeaders(journey, answer, answer)).toBe(answer);
  expect(rows()).toEqual([]);
  reportReplyHeaders(journey, answer, answerOf(200, { x: 'y' }));
  expect(rows()).toEqual(['response headers']);
});
