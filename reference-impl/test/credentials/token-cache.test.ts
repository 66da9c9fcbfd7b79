import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../base/cancellation.ts';
import { createTokenCache, type Token, type TokenCache, type WantedToken } from '../../credentials/token-cache.ts';
import { ORIGIN } from '../support/inert.ts';
import { manualClock, type ManualClock } from '../trace/manual-clock.ts';

const PATIENCE = 5_000;
const MARGIN = 60_000;
const HOUR = 3_600_000;

/** A fetch that the test answers. */
interface Asked {
  readonly content: string;
  readonly cancellation: Cancellation;
  readonly answer: (lifetime?: number) => Promise<void>;
  readonly fail: (reason: Error) => Promise<void>;
}

interface Setup {
  readonly clock: ManualClock;
  readonly tokens: TokenCache;
  readonly asked: Asked[];
  readonly want: (content?: string, more?: Partial<WantedToken>, cancellation?: Cancellation) => Waiter;
}

interface Waiter {
  readonly cancellation: Cancellation;
  readonly token: Promise<string>;
}

/** Tokens say which fetch they come from: `<content> <number>`. */
function setup(): Setup {
  const clock = manualClock();
  const tokens = createTokenCache(clock);
  const asked: Asked[] = [];
  const fetch = (content: string, cancellation: Cancellation): Promise<Token> => {
    const { promise, resolve, reject } = Promise.withResolvers<Token>();
    cancellation.onCancel(reject);
    const value = `${content} ${asked.length + 1}`;
    asked.push({
      content,
      cancellation,
      answer: async (lifetime = HOUR) => {
        resolve({ value, lifetime });
        await settled();
      },
      fail: async (reason) => {
        reject(reason);
        await settled();
      },
    });
    return promise;
  };
  const want: Setup['want'] = (content = 'a', more = {}, cancellation = new Cancellation()) => {
    const wanted: WantedToken = {
      place: ORIGIN,
      content: [content],
      fetch: (shared) => fetch(content, shared),
      patience: PATIENCE,
      margin: MARGIN,
      ...more,
    };
    const token = tokens.token(wanted, cancellation);
    token.catch(() => {}); // looked at later, or not at all
    return { cancellation, token };
  };
  return { clock, tokens, asked, want };
}

/** Everything that follows from what was done has happened. */
function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

function cancelled(): Cancellation {
  const cancellation = new Cancellation();
  cancellation.cancel(new Error('client went away'));
  return cancellation;
}

function deaf(): Promise<never> {
  return new Promise(() => {});
}

describe('a token', () => {
  test('is fetched once for all who want it at the same time', async () => {
    const { asked, want } = setup();
    const waiters = Array.from({ length: 1_000 }, () => want());
    expect(asked).toHaveLength(1);
    await asked[0]?.answer();
    const given = await Promise.all(waiters.map(({ token }) => token));
    expect(new Set(given)).toEqual(new Set(['a 1']));
  });

  test('is used again until shortly before its end, counted from when it was asked for', async () => {
    const { clock, asked, want } = setup();
    want();
    clock.advance(2_000);
    await asked[0]?.answer(HOUR);
    clock.advance(HOUR - MARGIN - 2_000 - 1);
    expect(await want().token).toBe('a 1');
    clock.advance(1);
    want();
    expect(asked).toHaveLength(2);
  });

  test('that is soon over is for those who waited, and is not kept', async () => {
    const { asked, want } = setup();
    const [one, other] = [want(), want()];
    await asked[0]?.answer(MARGIN);
    expect(await Promise.all([one.token, other.token])).toEqual(['a 1', 'a 1']);
    want();
    expect(asked).toHaveLength(2);
  });

  test.each<[string, string, Partial<WantedToken>]>([
    ['content', 'b', {}],
    ['a place of another name', 'a', { place: { ...ORIGIN, name: 'other' } }],
    ['a place of another namespace', 'a', { place: { ...ORIGIN, namespace: 'other' } }],
    ['a place of another kind', 'a', { place: { ...ORIGIN, kind: 'ProxyBackend' } }],
    ['the same text in other pieces', 'a', { content: ['', 'a'] }],
  ])('is not given for other %s', async (_, content, more) => {
    const { asked, want } = setup();
    want();
    await asked[0]?.answer();
    want(content, more);
    expect(asked).toHaveLength(2);
  });

  test('is pushed out by those of its own place only', async () => {
    const { asked, want } = setup();
    const other = { place: { ...ORIGIN, name: 'other' } };
    for (const more of [{}, other]) {
      want('first', more);
      await asked.at(-1)?.answer();
    }
    for (let index = 0; index < 8_192; index += 1) {
      want(`a ${index}`);
      await asked.at(-1)?.answer();
    }
    want('first', other);
    expect(asked).toHaveLength(8_194);
    want('first');
    expect(asked).toHaveLength(8_195);
  });

  test('is one of as many as its place may keep', async () => {
    const { asked, want } = setup();
    for (const content of ['a', 'b', 'a', 'c', 'a', 'b']) {
      want(content, { most: 2 });
      await asked.at(-1)?.answer();
    }
    expect(asked.map(({ content }) => content)).toEqual(['a', 'b', 'c', 'b']);
  });

  test('of a place without room is asked for by everybody, and nobody waits for that of another', async () => {
    const { clock, asked, want } = setup();
    const waiters = [want('a', { most: 0 }), want('a', { most: 0 })];
    expect(asked).toHaveLength(2);
    waiters[0]?.cancellation.cancel(new Error('gone'));
    await asked[1]?.answer();
    await expect(waiters[0]?.token).rejects.toThrow('gone');
    expect(await waiters[1]?.token).toBe('a 2');
    const late = want('a', { most: 0 });
    clock.advance(PATIENCE);
    await expect(late.token).rejects.toMatchObject({ code: 'upstreamCallTimeout' });
  });

  test('is forgotten with its place', async () => {
    const { tokens, asked, want } = setup();
    want();
    want('a', { place: { ...ORIGIN, name: 'other' } });
    await Promise.all(asked.map(({ answer }) => answer()));
    tokens.retain((kind, namespace, name) => `${kind}/${namespace}/${name}` === 'ProxyPolicy/default/policy');
    want();
    expect(asked).toHaveLength(2);
    want('a', { place: { ...ORIGIN, name: 'other' } });
    expect(asked).toHaveLength(3);
  });
});

describe('a fetch', () => {
  test('that fails is the failure of all who waited, and the next request tries again', async () => {
    const { asked, want } = setup();
    const waiters = [want(), want()];
    await asked[0]?.fail(new Error('down'));
    await Promise.all(waiters.map(({ token }) => expect(token).rejects.toThrow('down')));
    const next = want();
    await asked[1]?.answer();
    expect(await next.token).toBe('a 2');
  });

  test('goes on while somebody waits for it', async () => {
    const { asked, want } = setup();
    const [first, second] = [want(), want()];
    first.cancellation.cancel(new Error('client went away'));
    await expect(first.token).rejects.toThrow('client went away');
    expect(asked[0]?.cancellation.reason).toBeUndefined();
    await asked[0]?.answer();
    expect(await second.token).toBe('a 1');
  });

  test('ends with the last who waited, and the next request does not get to feel it', async () => {
    const { asked, want } = setup();
    const gone = [want(), want()];
    for (const { cancellation } of gone) cancellation.cancel(new Error('client went away'));
    const next = want();
    await settled();
    want();
    expect(asked.map(({ cancellation }) => cancellation.reason?.message)).toEqual(['client went away', undefined]);
    await asked[1]?.answer();
    expect(await next.token).toBe('a 2');
  });

  test('that nobody waits for is not begun', async () => {
    const { asked, want } = setup();
    const waiter = want('a', {}, cancelled());
    await expect(waiter.token).rejects.toThrow('client went away');
    expect(asked).toEqual([]);
  });

  test.each(['does as it is told', 'does not listen'])('that takes too long and %s is a failure', async (manner) => {
    const { clock, asked, want } = setup();
    const waiter = want('a', manner === 'does not listen' ? { fetch: deaf } : {});
    clock.advance(PATIENCE);
    await expect(waiter.token).rejects.toMatchObject({ code: 'upstreamCallTimeout' });
    const before = asked.length;
    const next = want();
    expect(asked).toHaveLength(before + 1);
    await asked.at(-1)?.answer();
    expect(await next.token).toBe(`a ${before + 1}`);
  });

  test('whose answer comes after its end leaves nothing behind', async () => {
    const { asked, want } = setup();
    const late = Promise.withResolvers<Token>();
    const gone = want('a', { fetch: () => late.promise });
    gone.cancellation.cancel(new Error('client went away'));
    late.resolve({ value: 'late', lifetime: HOUR });
    await settled();
    want();
    expect(asked).toHaveLength(1);
  });
});

/** What happens, to which content or to which of those there are, and for how many milliseconds. */
const happening = fc.record({
  what: fc.constantFrom(
    'want',
    'want',
    'want',
    'cancel',
    'cancel',
    'answer',
    'answer',
    'fail',
    'pass',
    'settle',
    'forget',
  ),
  content: fc.constantFrom('a', 'b'),
  which: fc.nat(20),
  milliseconds: fc.constantFrom(0, 1, PATIENCE, MARGIN + 1, HOUR - MARGIN, HOUR),
});

type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

test('whatever happens, one fetch per token is under way, and whoever stays gets one that is theirs and good', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 80 }), async (happenings) => {
      const world = createWorld();
      for (const one of happenings) {
        // What needs no waiting happens with nothing in between.
        const done = world.happen(one);
        if (done !== undefined) await done;
        expect(world.underWay('a').length).toBeLessThanOrEqual(1);
        expect(world.underWay('b').length).toBeLessThanOrEqual(1);
      }
      await world.end();
    }),
  );
});

interface World {
  readonly happen: (happening: Happening) => void | Promise<void>;
  readonly underWay: (content: string) => readonly Asked[];
  /** Answers what is still asked and looks at what everybody got. */
  readonly end: () => Promise<void>;
}

function createWorld(): World {
  const { clock, tokens, asked, want } = setup();
  /** By token: when it was asked for, and when it ends. */
  const ends = new Map<string, number>();
  const over = new Set<Asked>();
  const waiters: { readonly content: string; readonly at: number; readonly kept: boolean; readonly waiter: Waiter }[] =
    [];
  const startedAt: number[] = [];

  const underWay = (content: string): readonly Asked[] =>
    asked.filter((one) => one.content === content && !over.has(one) && one.cancellation.reason === undefined);

  const answer = async (one: Asked | undefined, lifetime: number): Promise<void> => {
    if (one === undefined || !underWay(one.content).includes(one)) return;
    const index = asked.indexOf(one);
    ends.set(`${one.content} ${index + 1}`, (startedAt[index] ?? 0) + lifetime);
    over.add(one);
    await one.answer(lifetime);
  };

  const begin = (content: string): void => {
    const waited = underWay(content).length > 0;
    const before = asked.length;
    const waiter = want(content);
    if (asked.length > before) startedAt.push(clock.monotonic());
    waiters.push({ content, at: clock.monotonic(), kept: !waited && asked.length === before, waiter });
  };

  const DO: Readonly<Record<string, (happening: Happening) => void | Promise<void>>> = {
    want: ({ content }) => begin(content),
    cancel: ({ which }) => waiters[which % waiters.length]?.waiter.cancellation.cancel(new Error('gone')),
    answer: ({ content, milliseconds }) => answer(underWay(content)[0], milliseconds),
    fail: async ({ content }) => {
      const [one] = underWay(content);
      if (one !== undefined) over.add(one);
      await one?.fail(new Error('down'));
    },
    pass: ({ milliseconds }) => clock.advance(milliseconds),
    settle: settled,
    forget: () => tokens.retain(() => false),
  };

  const end = async (): Promise<void> => {
    for (const one of [...underWay('a'), ...underWay('b')]) await answer(one, HOUR);
    for (const { content, at, kept, waiter } of waiters) {
      const outcome = await waiter.token.catch((reason: unknown) => reason);
      if (outcome instanceof Error) {
        if (waiter.cancellation.reason === undefined) expect(outcome.message).not.toBe('gone');
        continue;
      }
      expect(outcome).toMatch(new RegExp(`^${content} `));
      if (kept) expect(at).toBeLessThan((ends.get(String(outcome)) ?? -Infinity) - MARGIN);
    }
  };

  return { happen: (one) => DO[one.what]?.(one), underWay, end };
}
