import { describe, expect, test } from 'vitest';
import { createLedger, LEDGER_LIMITS } from '../ledger.ts';

function entry(state: { settled: boolean }): Parameters<ReturnType<typeof createLedger>['add']>[0] {
  return {
    connection: 1,
    at: 0,
    complete: true,
    view: () => ({}),
    get settled() {
      return state.settled;
    },
  };
}

describe('ledger', () => {
  test('a wait ends with the change that meets its condition', async () => {
    const ledger = createLedger();
    const two = ledger.until((seen) => seen.entries.length === 2, 60_000);
    ledger.add(entry({ settled: true }));
    ledger.add(entry({ settled: true }));
    expect(await two).toBe(true);
  });

  test('a wait that is not met ends false and leaves no listener', async () => {
    const ledger = createLedger();
    let asked = 0;
    const never = await ledger.until(() => {
      asked += 1;
      return false;
    }, 1);
    expect(never).toBe(false);
    const before = asked;
    ledger.notify();
    expect(asked).toBe(before);
  });

  test('active counts entries that are not settled', () => {
    const ledger = createLedger();
    const state = { settled: false };
    ledger.add(entry(state));
    ledger.add(entry({ settled: true }));
    expect(ledger.active).toBe(1);
    state.settled = true;
    expect(ledger.active).toBe(0);
  });

  test('bytes are granted until the total is used up', () => {
    const ledger = createLedger();
    expect(ledger.grant(LEDGER_LIMITS.bytes - 1)).toBe(LEDGER_LIMITS.bytes - 1);
    expect(ledger.grant(5)).toBe(1);
    expect(ledger.grant(5)).toBe(0);
  });

  test('a mock that cannot see attempts says so instead of zero', () => {
    expect(createLedger({ countsConnections: false }).attempted).toBeUndefined();
    expect(createLedger().attempted).toBe(0);
  });

  test('what arrives after a mark can be forgotten, and connections keep their numbers', () => {
    const ledger = createLedger();
    const before = entry({ settled: true });
    ledger.accept();
    ledger.add(before);
    const forget = ledger.mark();
    expect(ledger.accept()).toBe(2);
    ledger.add(entry({ settled: false }));
    ledger.fail('nobody calls twice');
    forget();
    expect([ledger.entries, ledger.attempted, ledger.active, ledger.fails]).toEqual([[before], 1, 0, []]);
    expect(ledger.accept()).toBe(3);
    expect(ledger.attempted).toBe(2);
  });
});
