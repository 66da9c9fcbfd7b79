import { describe, expect, test } from 'vitest';
import { HeaderMap } from '../../base/headers.ts';
import { ProxyError } from '../../base/proxy-error.ts';
import type { Routed } from '../../exchange/exchange.ts';
import { CONTINUE, type Note, type Outcome } from '../../exchange/outcome.ts';
import { refuse } from '../../exchange/refusal.ts';
import type { PolicyField } from '../../pipeline/compile-phase.ts';
import { enter } from '../../pipeline/journey.ts';
import { runPhase } from '../../pipeline/run-phase.ts';
import { createRecorder } from '../../trace/recorder.ts';
import type { TraceEvent } from '../../trace/events.ts';
import { exchangeOf } from '../policies/support/exchange.ts';
import { SERVICES } from '../support/inert.ts';
import { manualClock } from '../trace/manual-clock.ts';

type Run = (exchange: Routed) => Outcome | Promise<Outcome>;

/** Runs one step as a phase of its own, with a watcher. */
async function traced(field: PolicyField, run: Run, clock = manualClock()) {
  const events: TraceEvent[] = [];
  const trace = createRecorder({ event: (event) => events.push(event), finished: () => {} }, clock);
  const step = { field, request: run, response: undefined };
  const passage = enter({ steps: [step], responses: new Map() }, { ...exchangeOf(), trace, clock });
  const answer = await Promise.resolve(runPhase(passage, SERVICES)).catch((error: unknown) => error);
  return { answer, events, exchange: passage.exchange, rows: events.map(rowOf) };
}

function rowOf({ message, severity }: TraceEvent): string {
  if (message.type === 'policy') {
    const { result } = message;
    return `${severity} ${message.kind} ${result.type}: ${result.type === 'skip' ? result.reason : result.details}`;
  }
  return `${severity} ${message.type} ${'stage' in message ? message.stage : ''}`;
}

describe('a step of a traced request', () => {
  test('that changes the request names what it changed, without values, and shows the request after it', async () => {
    const { rows, events, exchange } = await traced('transformation', ({ request }) => ({
      kind: 'change',
      request: { ...request, target: '/other', headers: HeaderMap.of([['X-Secret', 'hidden']]) },
      facts: { metadata: { a: 1 } },
      handover: { replyHeaders: [['x-reply', 'hidden']] },
    }));
    expect(rows).toEqual([
      'info transformation apply: changed path, x-secret; learnt metadata; for the answer x-reply',
      'info requestSnapshot transformation',
    ]);
    expect(events[1]?.message).toMatchObject({ requestState: { request: { path: '/other' } } });
    expect(exchange.request.target).toBe('/other');
  });

  test('that lets it pass says so; at once has no duration, after waiting it has one (TRACE-096)', async () => {
    const clock = manualClock();
    const atOnce = await traced('csrf', () => CONTINUE, clock);
    expect(atOnce.rows).toEqual(['info csrf apply: let the request pass', 'info requestSnapshot csrf']);
    expect(atOnce.events[0]?.eventStart).toBeNull();
    const waited = async (): Promise<Outcome> => {
      await Promise.resolve();
      clock.advance(2);
      return CONTINUE;
    };
    expect((await traced('csrf', waited, clock)).events[0]).toMatchObject({ eventStart: 0, eventEnd: 2000 });
  });

  test('that refuses is an error and has no snapshot', async () => {
    const { rows, answer } = await traced('csrf', () => refuse(new ProxyError('csrfFailed')));
    expect(rows).toEqual([expect.stringMatching(/^error csrf apply: answered 403: /)]);
    expect(answer).toMatchObject({ status: 403 });
  });

  test('that answers on purpose is none', async () => {
    const answer = { status: 204, headers: HeaderMap.EMPTY, body: undefined, from: 'policy' } as const;
    const { rows } = await traced('directResponse', () => ({ kind: 'answer', answer }));
    expect(rows).toEqual(['info direct_response apply: answered 204']);
  });

  test('that throws is told, and still throws', async () => {
    const failure = new ProxyError('requestTimeout');
    const { rows, answer } = await traced('delay', () => Promise.reject(failure));
    expect(rows).toEqual([expect.stringMatching(/^error delay apply: failed: /)]);
    expect(answer).toBe(failure);
  });

  test('of authentication without credential does not apply', async () => {
    expect((await traced('jwtAuthentication', () => CONTINUE)).rows).toEqual([
      'info jwt skip: no valid credential, and the mode asks for none',
    ]);
    const facts = { jwt: {} };
    const handover = { acceptedToken: 'secret' };
    expect((await traced('jwtAuthentication', () => ({ kind: 'change', facts, handover }))).rows).toEqual([
      'info jwt apply: learnt jwt',
      'info requestSnapshot jwt auth',
    ]);
  });

  test.each<[string, readonly Note[], readonly string[]]>([
    [
      'a condition that is not met',
      [{ part: 'condition', met: false, text: 'condition not met' }],
      ['info rateLimit skip: condition not met'],
    ],
    [
      'two halves',
      [{ part: 'local' }, { part: 'global' }],
      [
        'info local_rate_limit apply: let the request pass',
        'info requestSnapshot local rate limit',
        'info remote_rate_limit apply: let the request pass',
        'info requestSnapshot remote rate limit',
      ],
    ],
    [
      'a condition and a half',
      [{ part: 'condition', met: true, text: 'fallback used' }, { part: 'local' }],
      [
        'info rateLimit apply: fallback used',
        'info local_rate_limit apply: let the request pass',
        'info requestSnapshot local rate limit',
      ],
    ],
  ])('notes: %s', async (_, notes, rows) => {
    expect((await traced('rateLimit', () => ({ ...CONTINUE, notes }))).rows).toEqual(rows);
  });

  test('that speaks in a message of its own only adds its snapshot', async () => {
    expect((await traced('authorization', () => CONTINUE)).rows).toEqual(['info requestSnapshot authorization']);
  });
});

test('a step of a request that nobody traces stays synchronous', () => {
  const step = { field: 'csrf', request: () => CONTINUE, response: undefined } as const;
  expect(runPhase(enter({ steps: [step], responses: new Map() }, exchangeOf()), SERVICES)).toBeUndefined();
});
