import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../cel/compile.ts';
import { parseGatewaySelection } from '../../trace/gateway-selection.ts';
import { DISCARD, type TraceSink } from '../../trace/recorder.ts';
import { createWatchers, type Arrival, type WatchOptions } from '../../trace/watchers.ts';
import { manualClock } from './manual-clock.ts';
import { gateway, viewWith } from './views.ts';

const view = viewWith(
  gateway('default', 'a', 3000, 'a.test', '*.a.test'),
  gateway('other', 'b', 3000, 'b.test'),
  gateway('other', 'a', 4000, 'a.test'),
);

function setUp() {
  const taken: string[] = [];
  const watchers = createWatchers({ clock: manualClock(), view: () => view });
  const watch = (name: string, options: WatchOptions = {}): (() => void) => watchers.watch(options, sink(name, taken));
  /** Who took the request, if anybody. */
  const arrive = (arrival: Partial<Arrival> = {}): string | undefined => {
    const recorder = watchers.recorderFor({ ...ARRIVAL, ...arrival });
    if (recorder === DISCARD) return undefined;
    recorder.emit({ type: 'requestStarted' });
    return taken.at(-1);
  };
  return { watchers, watch, arrive };
}

function sink(name: string, taken: string[]): TraceSink {
  return { event: () => taken.push(name), finished: () => {} };
}

const ARRIVAL: Arrival = {
  port: 3000,
  host: 'a.test:3000',
  source: { port: 50_000 },
  variables: (root) => (root === 'request' ? { method: 'GET', path: '/x', headers: {} } : { leaked: true }),
};

function expression(text: string): WatchOptions {
  const compiled = compile(text);
  if (!compiled.ok) throw new Error(compiled.error.message);
  return { expression: compiled.program };
}

describe('watchers', () => {
  test('nobody waits: the request is not recorded', () => {
    const { watchers, arrive } = setUp();
    expect(watchers.waiting()).toBe(false);
    expect(arrive()).toBeUndefined();
  });

  test('one watcher takes one request (TRACE-094)', () => {
    const { watchers, watch, arrive } = setUp();
    watch('first');
    expect(watchers.waiting()).toBe(true);
    expect(arrive()).toBe('first');
    expect(arrive()).toBeUndefined();
    expect(watchers.waiting()).toBe(false);
  });

  test('first come, first served, and who left is passed over', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 8 }), (stay) => {
        const { watch, arrive } = setUp();
        const leave = stay.map((_, index) => watch(String(index)));
        stay.forEach((stays, index) => {
          if (!stays) leave[index]?.();
        });
        const expected = stay.flatMap((stays, index) => (stays ? [String(index)] : []));
        expect(stay.map(() => arrive())).toEqual([...expected, ...stay.filter((stays) => !stays).map(() => undefined)]);
      }),
    );
  });

  test('an expression decides; what fails, is no boolean, or is not about the request does not match', () => {
    const { watch, arrive } = setUp();
    watch('other path', expression('request.path == "/y"'));
    watch('fails', expression('request.nothing.here == 1'));
    watch('no boolean', expression('request.path'));
    watch('not the request', expression('source.leaked == true'));
    watch('path', expression('request.path == "/x"'));
    expect(arrive()).toBe('path');
    expect(arrive()).toBeUndefined();
  });

  test('the port of the downstream connection names one request among many (CLI-029)', () => {
    const { watch, arrive } = setUp();
    watch('mine', { sourcePort: 50_001 });
    expect(arrive()).toBeUndefined();
    expect(arrive({ source: { port: 50_001 } })).toBe('mine');
  });

  test.each([
    ['default/a', { host: 'a.test' }, true],
    ['a', { host: 'X.A.TEST:3000' }, true],
    ['default/a', { host: 'b.test' }, false],
    ['other/b', { host: 'b.test' }, true],
    ['default/a', { host: 'a.test', port: 4000 }, false],
    ['other/a', { host: 'a.test', port: 4000 }, true],
    ['a', { host: 'a.test', port: 4000 }, true],
    ['other/b', { host: 'claimed.by.nobody' }, true],
    ['other/a', { host: 'claimed.by.nobody' }, false],
    ['default/a', { host: 'a.test', port: 5000 }, false],
  ])('gateway %s and %j: taken %s (CLI-031)', (text, arrival, taken) => {
    const { watch, arrive } = setUp();
    const selection = parseGatewaySelection(text);
    expect(selection).toBeDefined();
    watch('it', selection === undefined ? {} : { gateway: selection });
    expect(arrive(arrival)).toBe(taken ? 'it' : undefined);
  });

  test.each(['', '/', 'a/', '/a', 'a/b/c'])('%j names no gateway', (text) => {
    expect(parseGatewaySelection(text)).toBeUndefined();
  });
});
