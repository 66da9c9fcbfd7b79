import { describe, expect, test } from 'vitest';
import { encodeEvent } from '../../trace/encode.ts';
import type { TraceEvent, TraceMessage } from '../../trace/events.ts';
import { createRecorder } from '../../trace/recorder.ts';
import { manualClock } from './manual-clock.ts';

function record() {
  const clock = manualClock();
  clock.advance(50);
  const events: TraceEvent[] = [];
  let finished = 0;
  const recorder = createRecorder({ event: (event) => events.push(event), finished: () => (finished += 1) }, clock);
  return { clock, recorder, events, finished: () => finished };
}

describe('recorder', () => {
  test('offsets are whole microseconds since the recorder was attached (TRACE-014, TRACE-017)', () => {
    const { clock, recorder, events } = record();
    recorder.emit({ type: 'requestStarted' });
    clock.advance(1.5);
    recorder.emit({ type: 'backendCallStart', target: '127.0.0.1:1' });
    const startedAt = clock.monotonic();
    clock.advance(2.0004);
    recorder.emit({ type: 'backendCallResult', status: 200, error: null }, { startedAt });
    expect(events.map(({ eventStart, eventEnd }) => [eventStart, eventEnd])).toEqual([
      [null, 0],
      [null, 1500],
      [1500, 3500],
    ]);
  });

  test('a start before the trace began counts as its beginning', () => {
    const { recorder, events } = record();
    recorder.emit({ type: 'backendCallResult', status: 200, error: null }, { startedAt: 0 });
    expect(events[0]?.eventStart).toBe(0);
  });

  test('after finish nothing follows, and the end is told once (TRACE-058)', () => {
    const { recorder, events, finished } = record();
    recorder.emit({ type: 'requestFinished' });
    recorder.finish();
    recorder.finish();
    recorder.emit({ type: 'requestStarted' });
    expect(events.map(({ message }) => message.type)).toEqual(['requestFinished']);
    expect(finished()).toBe(1);
  });

  test.each<[TraceMessage, string]>([
    [{ type: 'requestFinished' }, 'info'],
    [{ type: 'routeSelection', selectedRoute: 'a/b.0', evaluatedRoutes: ['a/b.0'] }, 'info'],
    [{ type: 'routeSelection', selectedRoute: null, evaluatedRoutes: [] }, 'error'],
    [{ type: 'authorizationResult', rules: [], result: 'allow' }, 'info'],
    [{ type: 'authorizationResult', rules: [], result: 'deny' }, 'error'],
    [{ type: 'backendCallResult', status: 204, error: null }, 'info'],
    [{ type: 'backendCallResult', status: 404, error: null }, 'warn'],
    [{ type: 'backendCallResult', status: 503, error: null }, 'error'],
    [{ type: 'backendCallResult', status: null, error: 'refused' }, 'error'],
  ])('%j is %s', (message, severity) => {
    const { recorder, events } = record();
    recorder.emit(message);
    expect(events[0]?.severity).toBe(severity);
  });

  test('the sender may decide the severity', () => {
    const { recorder, events } = record();
    recorder.emit({ type: 'requestFinished' }, { severity: 'warn' });
    expect(events[0]?.severity).toBe('warn');
  });
});

describe('encoding', () => {
  test('is one line', () => {
    const line = encodeEvent({ eventStart: null, eventEnd: 1, severity: 'info', message: snapshot({ a: 'x\r\n\n' }) });
    expect(line).not.toMatch(/[\r\n]/);
  });

  test('writes integers of 64 bits and bytes as JSON has them', () => {
    const requestState = { small: 5n, large: 2n ** 60n, bytes: new Uint8Array([1, 2]), buffer: Buffer.from('hi') };
    expect(encoded(snapshot(requestState))).toMatchObject({
      message: { requestState: { small: 5, large: '1152921504606846976', bytes: 'AQI=', buffer: 'aGk=' } },
    });
  });

  test('an event that cannot be written says so and keeps its times', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(encoded(snapshot(loop))).toMatchObject({ eventEnd: 1, message: { type: 'serialization_error' } });
  });

  test('hides inline credentials of policies and nothing else', () => {
    const effectivePolicy = { auth: { key: 'Bearer secret', secretRef: { key: 'token' } }, tags: [{ key: 'k' }] };
    expect(encoded({ type: 'policySelection', phase: 'backend', effectivePolicy, sources: {} })).toMatchObject({
      message: { effectivePolicy: { auth: { key: '<redacted>', secretRef: { key: 'token' } }, tags: [{ key: 'k' }] } },
    });
  });
});

function encoded(message: TraceMessage): unknown {
  return JSON.parse(encodeEvent({ eventStart: null, eventEnd: 1, severity: 'info', message }));
}

function snapshot(requestState: Record<string, unknown>): TraceMessage {
  return { type: 'requestSnapshot', stage: 'initial request', requestState };
}
