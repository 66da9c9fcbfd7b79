import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CANARY_NAMESPACE, createCanary, type Canary } from '../../sut/canary.ts';
import { Configuration } from '../../sut/configuration.ts';
import type { RevisionsOptions } from '../../sut/revisions.ts';
import type { Resource } from '../../sut/session.ts';
import { startFakeSession, type FakeBehaviour, type FakeSession } from '../support/fake-session.ts';

let canary: Canary;
let fake: FakeSession;

beforeEach(() => {
  canary = createCanary();
});

afterEach(async () => {
  await Promise.all([canary.stop(), fake.close()]);
});

async function configuration(
  behaviour: FakeBehaviour = {},
  more: Pick<Partial<RevisionsOptions>, 'withinMs' | 'changeWithinMs' | 'arrivesInParts' | 'readiness'> = {},
): Promise<Configuration> {
  fake = await startFakeSession(() => canary.token, behaviour);
  return new Configuration({
    session: fake.session,
    canary,
    withinMs: behaviour.ignore === undefined ? 5000 : 120,
    ...more,
  });
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

  test('nothing is handed over while something must not be disturbed', async () => {
    const live = await configuration();
    const done = Promise.withResolvers<void>();
    const work = live.undisturbed(async () => done.promise);
    const changed = live.apply(change('c-1'));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(fake.deliveries).toEqual([]);
    done.resolve();
    await work;
    expect((await changed).outcome).toBe('accepted');
    expect(fake.deliveries).toHaveLength(1);
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
    expect(outcomes[2]?.message).toMatch(
      /^config-not-observed rev \d+: the canary did not answer within 120 ms, last came: (status 404|silence)$/,
    );
    expect([...(fake.deliveries.at(-1)?.files.keys() ?? [])].toSorted()).toEqual([
      'c-0',
      'c-1',
      'c-2',
      'c-3',
      'c-4',
      CANARY_NAMESPACE,
    ]);
  });

  test('what an API server of others does not take is told as that, and as its silence when it takes nothing any more', async () => {
    let taken = 1;
    const failed = { kind: 'failed', message: 'the API server answered 401', stuck: true } as const;
    const live = await configuration({ refuse: () => (taken-- > 0 ? undefined : failed) }, { withinMs: 500 });
    expect(await live.apply(change('c-0'))).toMatchObject({ outcome: 'accepted' });
    const outcome = await live.apply(change('c-1'));
    expect(outcome).toMatchObject({ outcome: 'not-observed', stuck: true, lost: true });
    expect(outcome.message).toMatch(/^the API server takes no configuration any more, .*answered 401$/);
  });

  describe('nothing shows any more', () => {
    let isDeaf = false;
    beforeEach(() => {
      isDeaf = false;
    });

    async function deaf(names: readonly string[], withinMs: number): Promise<Configuration> {
      const live = await configuration({ ignore: () => isDeaf }, { withinMs });
      await live.apply(change('c-0'));
      isDeaf = true;
      const outcomes = await Promise.all(names.map(async (name) => live.apply(change(name))));
      expect(outcomes.map(({ outcome, lost }) => [outcome, lost])).toEqual(names.map(() => ['not-observed', true]));
      expect(new Set(outcomes.map(({ message }) => message)).size).toBe(1);
      expect(outcomes[0]?.message).toMatch(
        /^the implementation takes no configuration any more, not even what was live before: config-not-observed rev \d+: the canary did not answer within \d+ ms/,
      );
      return live;
    }

    test('it is not halved to its end, is asked a few times more, and then nothing waits for it', async () => {
      const names = ['c-1', 'c-2', 'c-3', 'c-4', 'c-5', 'c-6', 'c-7', 'c-8'];
      const live = await deaf(names, 40);
      // The first, eight changes, four, two and one; three times what was live before; once for the other one, for two and for four.
      expect(fake.deliveries).toHaveLength(1 + 4 + 3 + 3);
      for (let count = 0; count < 12; count++) expect((await live.apply(change('c-9'))).lost).toBe(true);
      expect(fake.deliveries).toHaveLength(1 + 4 + 3 + 10);
      expect([...(fake.deliveries.at(-1)?.files.keys() ?? [])]).toEqual(['c-0', CANARY_NAMESPACE]);
    });

    test('a change is taken again as soon as something shows', async () => {
      const live = await deaf(['c-1'], 300);
      isDeaf = false;
      expect((await live.apply(change('c-2'))).outcome).toBe('accepted');
      expect([...(fake.deliveries.at(-1)?.files.keys() ?? [])].toSorted()).toEqual(['c-0', 'c-2', CANARY_NAMESPACE]);
    });

    test('a change after which what was live before shows late is to blame itself', async () => {
      let left = 0;
      const live = await configuration({ ignore: () => left-- > 0 }, { withinMs: 40 });
      await live.apply(change('c-0'));
      left = 3;
      const outcome = await live.apply(change('c-1'));
      expect(outcome).not.toHaveProperty('lost');
      expect(outcome.message).toMatch(/^config-not-observed rev 2: /);
      expect(fake.deliveries).toHaveLength(1 + 1 + 3);
    });
  });

  test.each([
    [20, 'not-observed'],
    [5000, 'accepted'],
  ])('a change that may take %i ms and shows after some hundred is %s', async (changeWithinMs, outcome) => {
    let left = 0;
    const live = await configuration({ oldWorker: () => left-- > 0 }, { changeWithinMs });
    await live.apply(change('c-0'));
    left = 9;
    expect((await live.apply(change('c-1'))).outcome).toBe(outcome);
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

  test('an answer of an old worker begins the count of answers in a row again', async () => {
    const asked: number[] = [];
    const live = await configuration(
      { oldWorker: (question) => asked.push(question) === 4 },
      { withinMs: 5000, readiness: { inARow: 4, settleMs: 0 } },
    );
    const outcome = await live.apply(change('c-1'));
    expect(outcome).toEqual({ outcome: 'accepted', violations: [], revision: 1 });
    // Three good ones, that of the old worker, and four good ones.
    expect(asked).toHaveLength(8);
  });

  test('a revision has to be alone for as long as the manifest says', async () => {
    let last = 0;
    const oldWorker = (): boolean => {
      const now = performance.now();
      first ??= now;
      if (now - first > 40) return false;
      last = now;
      return true;
    };
    let first: number | undefined;
    const live = await configuration({ oldWorker }, { withinMs: 5000, readiness: { inARow: 1, settleMs: 30 } });
    expect((await live.apply(change('c-1'))).outcome).toBe('accepted');
    expect(performance.now() - last).toBeGreaterThanOrEqual(30);
  });

  test('the revisions that answer are told, and waiting ends when the older ones are gone', async () => {
    let old = false;
    let questions = 0;
    const live = await configuration(
      { oldWorker: () => old && questions++ % 2 === 0 },
      { withinMs: 400, readiness: { inARow: 1, settleMs: 0 } },
    );
    await live.apply(change('c-1'));
    const { revision } = await live.apply(change('c-2'));
    expect(revision).toBe(2);
    expect(new Set(await live.revisions.answering())).toEqual(new Set([2]));
    old = true;
    expect(new Set(await live.revisions.answering())).toEqual(new Set([1, 2]));
    expect(await live.revisions.awaitOlderGone(2, 1)).toBe(false);
    old = false;
    expect(await live.revisions.awaitOlderGone(2, 1)).toBe(true);
  });

  test('only one caught with two revisions at once, or told in parts, gets the benefit of the doubt, and only for a while', async () => {
    const alone = await configuration();
    const { revision = 0 } = await alone.apply(change('c-1'));
    expect(alone.revisions.couldBeOlder(revision, performance.now())).toBe(false);
    await fake.close();
    const overlapping = await configuration({ oldWorker: (question) => question === 1 }, { withinMs: 5000 });
    await overlapping.apply(change('c-1'));
    expect(overlapping.revisions.couldBeOlder(1, performance.now())).toBe(true);
    expect(overlapping.revisions.couldBeOlder(1, performance.now() + 2000)).toBe(false);
    await fake.close();
    const inParts = await configuration({}, { arrivesInParts: true });
    await inParts.apply(change('c-1'));
    expect(inParts.revisions.couldBeOlder(1, performance.now())).toBe(true);
    expect(inParts.revisions.couldBeOlder(1, performance.now() + 5000)).toBe(false);
  });
});
