import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CANARY_NAMESPACE, startCanary, type Canary } from '../../sut/canary.ts';
import { Configuration } from '../../sut/configuration.ts';
import type { Resource } from '../../sut/session.ts';
import { startFakeSession, type FakeBehaviour, type FakeSession } from '../support/fake-session.ts';

let canary: Canary;
let fake: FakeSession;

beforeEach(async () => {
  canary = await startCanary();
});

afterEach(async () => {
  await Promise.all([canary.stop(), fake.close()]);
});

async function configuration(behaviour: FakeBehaviour = {}): Promise<Configuration> {
  fake = await startFakeSession(() => canary.token, behaviour);
  return new Configuration({ session: fake.session, canary, withinMs: 120 });
}

function change(namespace: string, name = 'r'): ReadonlyMap<string, readonly Resource[]> {
  return new Map([[namespace, [{ kind: 'HTTPRoute', metadata: { name, namespace } }]]]);
}

const poisoned = (resources: readonly Resource[]): boolean => JSON.stringify(resources).includes('poison');

describe('configuration', () => {
  test('changes of the same moment are one revision with one canary', async () => {
    const live = await configuration();
    const outcomes = await Promise.all(['c-1', 'c-2', 'c-3'].map(async (name) => live.apply(change(name))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(fake.deliveries).toHaveLength(1);
    expect(fake.deliveries[0]?.changed).toEqual(['c-1', 'c-2', 'c-3', CANARY_NAMESPACE]);
  });

  test('changes that come while a revision is on its way share the next one', async () => {
    const live = await configuration();
    const first = live.apply(change('c-1'));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, live.apply(change('c-2')), live.apply(change('c-3'))]);
    expect(fake.deliveries.map(({ changed }) => changed)).toEqual([
      ['c-1', CANARY_NAMESPACE],
      ['c-2', 'c-3', CANARY_NAMESPACE],
    ]);
  });

  test('a retired namespace goes with the next revision, unless it is wanted again', async () => {
    const live = await configuration();
    await Promise.all([live.apply(change('c-1')), live.apply(change('c-2'))]);
    live.retire('c-1');
    live.retire('c-2');
    await live.apply(change('c-2'));
    expect([...(fake.deliveries.at(-1)?.files.keys() ?? [])]).toEqual(['c-2', CANARY_NAMESPACE]);
    expect(fake.deliveries.at(-1)?.changed).toContain('c-1');
  });

  test('a revision nobody shows is halved until the case that spoils it stands alone', async () => {
    const live = await configuration({ ignore: poisoned });
    await live.apply(change('c-0'));
    const names = ['c-1', 'c-2', 'poison', 'c-3', 'c-4'];
    const outcomes = await Promise.all(names.map(async (name) => live.apply(change(name))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'accepted',
      'accepted',
      'not-observed',
      'accepted',
      'accepted',
    ]);
    // What was refused is taken away with the next revision, also from an implementation that keeps files.
    const refused = fake.deliveries.findIndex(({ files }) => files.has('poison'));
    expect(fake.deliveries[refused + 1]?.changed).toContain('poison');
    expect(outcomes[2]?.message).toMatch(/^config-not-observed rev \d+: the canary did not answer within 120 ms$/);
    expect([...(fake.deliveries.at(-1)?.files.keys() ?? [])].toSorted()).toEqual([
      'c-0',
      'c-1',
      'c-2',
      'c-3',
      'c-4',
      CANARY_NAMESPACE,
    ]);
  });

  test('an implementation that can validate names the case without halving', async () => {
    const live = await configuration({ ignore: poisoned, accepts: (resource) => !poisoned([{ resource }]) });
    const outcomes = await Promise.all(['c-1', 'poison', 'c-2'].map(async (name) => live.apply(change(name))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'accepted']);
    expect(outcomes[1]?.message).toBe('the configuration was rejected: HTTPRoute r spec wrong');
    expect(fake.deliveries).toHaveLength(2);
  });

  test('a rejection with a namespace refuses that case and no other', async () => {
    const live = await configuration({
      refuse: ({ files }) =>
        files.has('poison')
          ? { kind: 'rejected', violations: [{ namespace: 'poison', path: 'spec.x', message: 'unknown' }] }
          : undefined,
    });
    const outcomes = await Promise.all(['c-1', 'poison', 'c-2'].map(async (name) => live.apply(change(name))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'accepted']);
  });

  test('a crash ends the wait at once and blames nobody alone', async () => {
    let crash: string | undefined;
    const live = await configuration({
      ignore: (resources) => {
        crash = poisoned(resources) ? 'the implementation exited with code 1' : undefined;
        return crash !== undefined;
      },
      crashed: () => crash,
    });
    const outcomes = await Promise.all(['c-1', 'poison'].map(async (name) => live.apply(change(name))));
    expect(outcomes.map(({ message }) => message)).toEqual(
      Array(2).fill('config-not-observed rev 1: the implementation exited with code 1'),
    );
  });

  test('a canned answer does not pass for the canary', async () => {
    fake = await startFakeSession(() => 'not-the-token');
    const live = new Configuration({ session: fake.session, canary, withinMs: 60 });
    expect((await live.apply(change('c-1'))).outcome).toBe('not-observed');
  });
});
