import { expect, test } from 'vitest';
import type { TraceEvent } from '../../trace/events.ts';
import { reportedCall } from '../../trace/nested-call.ts';
import { createRecorder, DISCARD } from '../../trace/recorder.ts';
import { manualClock } from './manual-clock.ts';

function watched() {
  const clock = manualClock();
  const events: TraceEvent[] = [];
  const trace = createRecorder({ event: (event) => events.push(event), finished: () => {} }, clock);
  return { clock, trace, events };
}

const answered = (): Promise<number> => Promise.resolve(1);
const refused = (): Promise<number> => Promise.reject(new Error('refused'));
const nobodyAsks = (): number => expect.unreachable('nobody asks');

test('a call beside the one of the request has a start and a result of its scope', async () => {
  const { clock, trace, events } = watched();
  const call = (): Promise<number> => {
    clock.advance(3);
    return Promise.resolve(429);
  };
  expect(await reportedCall({ trace, clock }, 'ext_authz', { target: 'auth:1' }, call, (status) => status)).toBe(429);
  expect(events).toEqual([
    {
      eventStart: null,
      eventEnd: 0,
      severity: 'info',
      scope: ['ext_authz'],
      message: { type: 'backendCallStart', target: 'auth:1' },
    },
    {
      eventStart: 0,
      eventEnd: 3000,
      severity: 'warn',
      scope: ['ext_authz'],
      message: { type: 'backendCallResult', status: 429, error: null },
    },
  ]);
});

test('a failure is told and stays one', async () => {
  const { clock, trace, events } = watched();
  const calling = reportedCall({ trace, clock }, 'mirror', { target: 'copy:1' }, refused, (status) => status);
  await expect(calling).rejects.toThrow('refused');
  expect(events[1]).toMatchObject({
    severity: 'error',
    scope: ['mirror'],
    message: { type: 'backendCallResult', status: null, error: 'refused' },
  });
});

test('what ends after the trace is not in it (TRACE-058)', async () => {
  const { clock, trace, events } = watched();
  const { promise, resolve } = Promise.withResolvers<number>();
  const calling = reportedCall(
    { trace, clock },
    'mirror',
    { target: 'copy:1' },
    () => promise,
    (status) => status,
  );
  trace.emit({ type: 'requestFinished' });
  trace.finish();
  resolve(200);
  await calling;
  expect(events.map(({ message }) => message.type)).toEqual(['backendCallStart', 'requestFinished']);
});

test('without a watcher it is only the call', async () => {
  const { clock } = watched();
  expect(await reportedCall({ trace: DISCARD, clock }, 'mirror', { target: 'copy:1' }, answered, nobodyAsks)).toBe(1);
});
