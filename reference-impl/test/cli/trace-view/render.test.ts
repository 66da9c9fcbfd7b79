import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fit, printable } from '../../../cli/trace-view/cells.ts';
import { decodeKeys } from '../../../cli/trace-view/keys.ts';
import { diffLines } from '../../../base/line-diff.ts';
import { type Action, type Progress, START, type TraceModel } from '../../../cli/trace-view/model.ts';
import { reduce } from '../../../cli/trace-view/reduce.ts';
import { render } from '../../../cli/trace-view/render.ts';
import { openScreen } from '../../../cli/trace-view/screen.ts';
import { eventOf } from '../fake-proxy.ts';

// oxlint-disable-next-line no-control-regex -- the point of these tests
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/;

function modelOf(events: readonly object[], change: Partial<TraceModel> = {}): TraceModel {
  const actions = events.map((event): Action => ({ kind: 'payload', text: JSON.stringify(event) }));
  return { ...actions.reduce(reduce, START), ...change };
}

function text(model: TraceModel, rows = 30, columns = 80): string {
  return render(model, { rows, columns })
    .map((line) => line.text.trimEnd())
    .join('\n');
}

describe('screen', () => {
  test('shows number, type and summary, the raw event, help and status (CLI-021, CLI-022)', () => {
    const shown = text(
      modelOf([eventOf({ type: 'requestStarted' }), eventOf({ type: 'backendCallStart', target: 'h:1' })]),
    );
    expect(shown).toMatch(/^▶Events$/m);
    expect(shown).toMatch(/^ {3}1 {2}requestStarted$/m);
    expect(shown).toMatch(/^ {3}2 {2}backendCallStart +h:1$/m);
    expect(shown).toMatch(/^ Raw Event · event · YAML$/m);
    expect(shown).toMatch(/^ severity: info$/m);
    expect(shown).toMatch(/^ Help$/m);
    expect(shown.split('\n').at(-1)).toBe(' 2 events');
  });

  test('tells calls of policies apart, and says what a policy did', () => {
    const call = { ...eventOf({ type: 'backendCallStart', target: 'h:1' }), scope: ['ext_authz'] };
    const applied = { type: 'apply', details: 'learnt jwt', snapshot: null };
    const shown = text(
      modelOf([
        call,
        eventOf({ type: 'policy', kind: 'jwt', result: applied }),
        eventOf({ type: 'policy', kind: 'cors', result: { type: 'skip', reason: 'condition not met' } }),
        eventOf({ type: 'policy', kind: 7 }),
      ]),
    );
    expect(shown).toMatch(/1 {2}backendCallStart +\[ext_authz\] h:1$/m);
    expect(shown).toMatch(/2 {2}policy +jwt apply: learnt jwt$/m);
    expect(shown).toMatch(/3 {2}policy +cors skip: condition not met$/m);
    expect(shown).toMatch(/4 {2}policy +7 :/m);
  });

  test.each<[Progress, number, string]>([
    [{ kind: 'waiting' }, 0, 'waiting for trace data'],
    [{ kind: 'sent' }, 0, 'request sent, waiting for trace data'],
    [{ kind: 'sent' }, 1, '1 event'],
    [{ kind: 'complete' }, 2, '2 events · trace complete, press q to quit'],
    [{ kind: 'cut' }, 1, '1 event · stream ended before the trace was complete, press q to quit'],
    [{ kind: 'failed', reason: 'it broke' }, 0, '0 events · it broke, press q to quit'],
  ])('status of %j with %d events (CLI-005)', (progress, count, status) => {
    const events = Array.from({ length: count }, () => eventOf({ type: 'requestStarted' }));
    expect(text(modelOf(events, { progress })).split('\n').at(-1)).toBe(` ${status}`);
  });

  test('the list follows the selection', () => {
    const events = Array.from({ length: 100 }, (_, index) => eventOf({ type: `type${index + 1}` }));
    expect(text(modelOf(events, { selected: 99 }))).toContain('100  type100');
    expect(text(modelOf(events, { selected: 50 }))).toContain(' 51  type51');
    expect(text(modelOf(events))).toContain('  1  type1');
  });

  test('every size gives exactly that size, and the selected pane is on it', () => {
    const hostile = eventOf({ type: '\u001b[2J', uri: '\r\n\u009b31m\u202e日本語', long: 'x'.repeat(10_000) });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 200 }),
        fc.constantFrom('events', 'raw', 'help'),
        (rows, columns, pane) => {
          const lines = render(modelOf([hostile, hostile], { pane }), { rows, columns });
          expect(lines).toHaveLength(rows);
          for (const line of lines) {
            expect(line.text).not.toMatch(CONTROL);
            expect(line.text.length).toBeLessThanOrEqual(columns);
          }
          if (rows > 1 && columns > 0) expect(lines.some((line) => line.style === 'focus')).toBe(true);
        },
      ),
    );
  });

  test('only changed lines are written, and the terminal is given back once', () => {
    const written: string[] = [];
    const screen = openScreen((part) => written.push(part));
    screen.draw(plain('a', 'b'));
    written.length = 0;
    screen.draw(plain('a', 'b'));
    expect(written).toEqual([]);
    screen.draw(plain('a', 'c'));
    expect(written).toEqual(['\u001b[2;1Hc\u001b[0m']);
    screen.invalidate();
    written.length = 0;
    screen.draw(plain('a', 'c'));
    expect(written.join('')).toContain('\u001b[1;1Ha');
    screen.close();
    written.length = 0;
    screen.close();
    screen.draw(plain('z', 'z'));
    expect(written).toEqual([]);
  });
});

describe('cells', () => {
  test.each([
    ['a\tb', 'a  b'],
    ['\u001b[31m', '\\x1b[31m'],
    ['\u009b\u007f\0', '\\x9b\\x7f\\x00'],
    ['\u202e\u200d\ufeff', '\\u202e\\u200d\\ufeff'],
    ['e\u0301', 'e\\u0301'],
    ['\ud800', '\\ud800'],
    ['\u{e0001}', '\\u{e0001}'],
    ['日本 é €', '日本 é €'],
  ])('%j is written %s', (given, shown) => {
    expect(printable(given)).toBe(shown);
  });

  test('nothing that controls a terminal gets through', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (given) => {
        expect(printable(given)).not.toMatch(CONTROL);
      }),
    );
  });

  test.each([
    ['abc', 5, 'abc  '],
    ['abc', 2, 'ab'],
    ['日本', 3, '日 '],
    ['日本', 4, '日本'],
    ['', 0, ''],
  ])('%j in %d columns', (given, columns, fitted) => {
    expect(fit(given, columns)).toBe(fitted);
  });
});

describe('keys', () => {
  test.each([
    ['\t\u001b[Zesdfq', ['tab', 'backtab', 'e', 's', 'd', 'f', 'quit'], ''],
    ['\u001b[A\u001bOA\u001b[B\u001bOBkj', ['up', 'up', 'down', 'down', 'up', 'down'], ''],
    ['\u001b[5~\u001b[6~\u001b[H\u001b[F', ['pageup', 'pagedown', 'home', 'end'], ''],
    ['\u0003', ['quit'], ''],
    ['\u001b', [], '\u001b'],
    ['e\u001b[', ['e'], '\u001b['],
    ['\u001b\u001b[A', ['quit', 'up'], ''],
    ['\u001b[1;5Ax\u001b[200~\u001bx', [], ''],
    ['äé\u0000', [], ''],
  ])('%j', (typed, keys, rest) => {
    expect(decodeKeys(typed)).toEqual({ keys, rest });
  });

  test('any bytes are decoded, and the rest stays short', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (typed) => {
        expect(decodeKeys(`\u001b[${typed}`).rest.length).toBeLessThanOrEqual(32);
      }),
    );
  });
});

describe('line diff', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });

  test('removing gives the old text, adding the new one, and equal texts have no change', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after);
        expect(diff.filter(({ change }) => change !== 'added').map((line) => line.text)).toEqual(before);
        expect(diff.filter(({ change }) => change !== 'removed').map((line) => line.text)).toEqual(after);
        expect(diffLines(before, before).every(({ change }) => change === undefined)).toBe(true);
      }),
    );
  });

  test('texts too large to compare line by line are still right', () => {
    const before = Array.from({ length: 2000 }, (_, index) => `old ${index}`);
    const after = Array.from({ length: 2000 }, (_, index) => `new ${index}`);
    const diff = diffLines(['same', ...before], ['same', ...after]);
    expect(diff).toHaveLength(4001);
    expect(diff[0]).toEqual({ text: 'same' });
  });
});

function plain(...lines: readonly string[]) {
  return lines.map((line) => ({ text: line, style: 'plain' as const }));
}
