import { describe, expect, test } from 'vitest';
import { detailLines } from '../../../cli/trace-view/detail.ts';
import type { Key } from '../../../cli/trace-view/keys.ts';
import { type Action, START, type TraceModel } from '../../../cli/trace-view/model.ts';
import { reduce } from '../../../cli/trace-view/reduce.ts';
import { eventOf } from '../fake-proxy.ts';

function snapshot(stage: string, request: object): object {
  return eventOf({ type: 'requestSnapshot', stage, requestState: { request } });
}

const EVENTS = [
  eventOf({ type: 'requestStarted' }),
  snapshot('initial request', { method: 'GET', uri: '/a', path: '/a' }),
  eventOf({ type: 'policySelection', phase: 'gateway', effectivePolicy: {} }),
  snapshot('gateway policies', { method: 'GET', uri: '/b', path: '/a' }),
];

const PAGE = 2;

/** The model after events and keys, in this order. */
function modelAfter(events: readonly object[], ...keys: readonly Key[]): TraceModel {
  const actions: Action[] = [
    ...events.map((event): Action => ({ kind: 'payload', text: JSON.stringify(event) })),
    ...keys.map((key): Action => ({ kind: 'key', key, page: PAGE })),
  ];
  return actions.reduce(reduce, START);
}

const SIGNS = { added: '+', removed: '-' };

/** The detail as text, changed lines with their sign. */
function detailOf(model: TraceModel): string {
  return detailLines(model)
    .map(({ text, change }) => `${change === undefined ? '' : SIGNS[change]}${text}`)
    .join('\n');
}

describe('model', () => {
  test('the selection stays inside the list (CLI-024)', () => {
    expect(modelAfter(EVENTS, 'up').selected).toBe(0);
    expect(modelAfter(EVENTS, 'down', 'down').selected).toBe(2);
    expect(modelAfter(EVENTS, 'pagedown', 'pagedown', 'pagedown').selected).toBe(3);
    expect(modelAfter(EVENTS, 'end', 'pageup').selected).toBe(1);
    expect(modelAfter(EVENTS, 'end', 'home').selected).toBe(0);
    expect(modelAfter([], 'down', 'end', 'pagedown').selected).toBe(0);
  });

  test('tab goes round the panes, shift-tab the other way (CLI-023)', () => {
    expect(panes('tab', 'tab', 'tab')).toEqual(['raw', 'help', 'events']);
    expect(panes('backtab', 'backtab', 'backtab')).toEqual(['help', 'raw', 'events']);
  });

  test('arrows scroll the text of the selected pane and stop at its ends (CLI-024)', () => {
    const raw = modelAfter(EVENTS, 'end', 'tab', 'down', 'down');
    expect([raw.selected, raw.scroll.raw, raw.scroll.help]).toEqual([3, 2, 0]);
    expect(modelAfter(EVENTS, 'tab', 'end', 'down').scroll.raw).toBe(detailLines(modelAfter(EVENTS)).length - 1);
    expect(modelAfter(EVENTS, 'tab', 'down', 'up', 'up').scroll.raw).toBe(0);
    expect(modelAfter(EVENTS, 'tab', 'tab', 'down').scroll.help).toBe(1);
    expect(modelAfter(EVENTS, 'tab', 'right', 'right', 'left').scroll.column).toBe(8);
    expect(modelAfter(EVENTS, 'tab', 'left').scroll.column).toBe(0);
    expect(modelAfter(EVENTS, 'right').scroll.column).toBe(0);
  });

  test('another event or another mode begins at the first line', () => {
    expect(modelAfter(EVENTS, 'tab', 'down', 'right', 's').scroll).toEqual({ raw: 0, help: 0, column: 0 });
    expect(modelAfter(EVENTS, 'tab', 'down', 'backtab', 'down').scroll.raw).toBe(0);
  });

  test('q leaves (CLI-026)', () => {
    expect(modelAfter(EVENTS).quit).toBe(false);
    expect(modelAfter(EVENTS, 'quit').quit).toBe(true);
  });

  test('a stream without end does not fill the memory', () => {
    const full = { ...START, rows: Array.from({ length: 10_000 }, () => modelAfter(EVENTS.slice(0, 1)).rows).flat() };
    expect(reduce(full, { kind: 'payload', text: '{}' })).toBe(full);
  });
});

describe('detail modes (CLI-025)', () => {
  test('e: the event as it came, in YAML or JSON', () => {
    expect(detailOf(modelAfter(EVENTS, 'e'))).toBe(
      'eventStart: null\neventEnd: 1\nseverity: info\nmessage:\n  type: requestStarted',
    );
    expect(detailOf(modelAfter(EVENTS, 'f'))).toBe(JSON.stringify(EVENTS[0], undefined, 2));
    expect(detailOf(modelAfter(EVENTS, 'f', 'f'))).toContain('eventStart: null');
  });

  test('s: the latest snapshot at or before the event', () => {
    expect(detailOf(modelAfter(EVENTS, 's'))).toBe('no snapshot up to here');
    expect(detailOf(modelAfter(EVENTS, 's', 'down', 'down'))).toBe('request:\n  method: GET\n  uri: /a\n  path: /a');
    expect(detailOf(modelAfter(EVENTS, 's', 'end'))).toContain('uri: /b');
  });

  test('d: what changed since the snapshot before it', () => {
    expect(detailOf(modelAfter(EVENTS, 'd'))).toBe('no snapshot up to here');
    expect(detailOf(modelAfter(EVENTS, 'd', 'down'))).toMatch(/first snapshot/);
    expect(detailOf(modelAfter(EVENTS, 'd', 'end'))).toBe(
      'request:\n  method: GET\n-  uri: /a\n+  uri: /b\n  path: /a',
    );
    expect(detailOf(modelAfter([...EVENTS, ...EVENTS.slice(3)], 'd', 'end'))).toMatch(/no difference/);
  });
});

describe('rows (CLI-021)', () => {
  const state = { request: { method: 'PUT', uri: '/x' }, response: { code: 418 } };
  test.each([
    [{ type: 'requestStarted' }, ''],
    [{ type: 'requestSnapshot', stage: 'final request', requestState: state }, 'final request: PUT /x'],
    [{ type: 'responseSnapshot', stage: 'raw response', requestState: state }, 'raw response: 418'],
    [{ type: 'bodySnapshot', stage: 'response', body: btoa('hello') }, 'response: 5 bytes'],
    [
      { type: 'routeSelection', selectedRoute: 'a/b.0', evaluatedRoutes: ['a/b.0', 'c'] },
      'selected a/b.0 (2 evaluated)',
    ],
    [{ type: 'routeSelection', selectedRoute: null, evaluatedRoutes: [] }, 'no route selected (0 evaluated)'],
    [{ type: 'policySelection', phase: 'route', effectivePolicy: { a: 1, b: 2 } }, 'route effective policies: a, b'],
    [{ type: 'policySelection', phase: 'backend', effectivePolicy: {} }, 'backend effective policies: none'],
    [{ type: 'authorizationResult', rules: [], result: 'deny' }, 'deny'],
    [{ type: 'backendCallStart', target: '127.0.0.1:8000' }, '127.0.0.1:8000'],
    [{ type: 'backendCallResult', status: 200, error: null }, 'status 200'],
    [{ type: 'backendCallResult', status: null, error: 'refused' }, 'failed: refused'],
    [{ type: 'somethingNew', stage: 'x' }, ''],
    [{ type: 'constructor' }, ''],
    [{ type: 'requestSnapshot' }, ':  '],
    [{ type: 'policySelection', effectivePolicy: null }, ' effective policies: none'],
    [{ type: 'backendCallStart', target: 'x'.repeat(500) }, 'x'.repeat(120)],
  ])('%j: %s', (message, summary) => {
    expect(modelAfter([eventOf(message)]).rows).toMatchObject([{ type: message.type, summary }]);
  });

  test('a payload that is no event is shown as it came (TRACE-012)', () => {
    const model = reduce(START, { kind: 'payload', text: '{broken' });
    expect(model.rows).toMatchObject([{ type: 'unreadable', summary: '' }]);
    expect(detailOf(model)).toBe('"{broken"');
  });
});

/** The pane that is selected after each of the keys. */
function panes(...keys: readonly Key[]): string[] {
  return keys.map((_, index) => modelAfter([], ...keys.slice(0, index + 1)).pane);
}
