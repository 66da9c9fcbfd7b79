import { describe, expect, test } from 'vitest';
import { createGates } from '../gates.ts';

describe('gates', () => {
  test('a waiter goes on when its gate opens, and only then', async () => {
    const gates = createGates();
    const passed: string[] = [];
    const a = gates.wait('a', 60_000).then(() => passed.push('a'));
    const b = gates.wait('b', 60_000).then(() => passed.push('b'));
    gates.open('b');
    await b;
    expect(passed).toEqual(['b']);
    expect(gates.outcomes()).toEqual({ a: 'waiting', b: 'opened' });
    gates.open('a');
    await a;
    expect(passed).toEqual(['b', 'a']);
  });

  test('an open gate lets later waiters through at once', async () => {
    const gates = createGates();
    gates.open('a');
    expect(await gates.wait('a', 0)).toBe('opened');
  });

  test('a waiter that gave up stays on record although the gate opens later', async () => {
    const gates = createGates();
    expect(await gates.wait('a', 1)).toBe('gave-up');
    gates.open('a');
    expect(gates.outcomes()).toEqual({ a: 'gave-up' });
  });

  test('close releases everybody', async () => {
    const gates = createGates();
    const waiting = [gates.wait('a', 60_000), gates.wait('a', 60_000), gates.wait('b', 60_000)];
    gates.close();
    expect(await Promise.all(waiting)).toEqual(['gave-up', 'gave-up', 'gave-up']);
    expect(await gates.wait('late', 60_000)).toBe('gave-up');
  });
});
