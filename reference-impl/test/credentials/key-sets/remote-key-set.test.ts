import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Body } from '../../../base/body.ts';
import { HeaderMap } from '../../../base/headers.ts';
import { ProxyError } from '../../../base/proxy-error.ts';
import { bytesBody } from '../../../base/read-body.ts';
import { mergeBackend } from '../../../attachment/policies/merge.ts';
import type { BackendView } from '../../../attachment/view.ts';
import type { Received } from '../../../exchange/exchange.ts';
import type { KeySet } from '../../../credentials/key-sets/key-set.ts';
import { remoteKeySet } from '../../../credentials/key-sets/remote-key-set.ts';
import type { Call, Response } from '../../../upstream/http-call.ts';
import type { Services } from '../../../credentials/services.ts';
import { ORIGIN, SERVICES } from '../../support/inert.ts';
import { manualClock, type ManualClock } from '../../trace/manual-clock.ts';
import { exchangeOf } from '../../policies/support/exchange.ts';

const MINUTE = 60_000;
const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });

/** A fetch that the test answers. */
interface Fetch {
  readonly call: Call;
  readonly answer: (kids: readonly string[] | Partial<Response>) => Promise<void>;
  readonly fail: () => Promise<void>;
}

interface Setup {
  readonly clock: ManualClock;
  readonly fetches: Fetch[];
  readonly warnings: string[];
  readonly ask: () => KeySet | Promise<KeySet>;
}

function setup(cacheDuration?: string, unresolved = false): Setup {
  const clock = manualClock();
  const fetches: Fetch[] = [];
  const warnings: string[] = [];
  const send = (call: Call): Promise<Response> => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    call.cancellation.onCancel(reject);
    const answer: Fetch['answer'] = async (given) => {
      resolve('length' in given ? responseWith(keySetText(given)) : { ...responseWith(''), ...given });
      await settled();
    };
    const fail = async (): Promise<void> => {
      reject(new ProxyError('upstreamCallFailed', 'connection refused'));
      await settled();
    };
    fetches.push({ call, answer, fail });
    return promise;
  };
  const services: Services = {
    ...SERVICES,
    http: { send, close: () => Promise.resolve() },
    log: { ...SERVICES.log, warn: (message, fields) => warnings.push(`${message} ${JSON.stringify(fields)}`) },
  };
  const source = remoteKeySet(
    {
      jwksPath: 'certs',
      backendRef: { name: 'idp', port: 80 },
      ...(cacheDuration === undefined ? {} : { cacheDuration }),
    },
    ORIGIN,
  );
  const exchange = exchangeWith(clock, unresolved);
  return { clock, fetches, warnings, ask: () => source(exchange, services) };
}

function exchangeWith(clock: ManualClock, unresolved: boolean): Received {
  const exchange = exchangeOf();
  const backend: BackendView = {
    name: 'ns/idp',
    key: 'ProxyBackend/ns/idp',
    type: 'service',
    protocol: 'http',
    endpoints: [{ kind: 'tcp', host: '127.0.0.1', port: 9 }],
    policies: mergeBackend([]),
    mirrors: [],
  };
  const found = unresolved ? ({ unresolved: 'serviceNotFound', message: 'no Service ns/idp' } as const) : backend;
  return {
    ...exchange,
    clock,
    view: { ...exchange.view, references: { ...exchange.view.references, backend: () => found } },
  };
}

const keySetText = (names: readonly string[]): string =>
  JSON.stringify({ keys: names.map((kid) => ({ ...jwk, kid })) });

function responseWith(text: string): Response {
  return { status: 200, headers: HeaderMap.EMPTY, body: bytesBody(Buffer.from(text)) };
}

/** Everything that waits for nothing but its turn has had it. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function kids(given: KeySet | Promise<KeySet>): Promise<readonly string[]> {
  return [...(await given).keys.keys()];
}

describe('keys from a server', () => {
  test('are fetched when first needed, once for all who wait, from jwksPath at the root', async () => {
    const { fetches, ask } = setup();
    expect(fetches).toHaveLength(0);
    const waiting = [ask(), ask(), ask()];
    expect(fetches).toHaveLength(1);
    expect(fetches[0]?.call.request).toMatchObject({ method: 'GET', target: '/certs', authority: '127.0.0.1:9' });
    await fetches[0]?.answer(['a']);
    expect(await Promise.all(waiting.map(kids))).toEqual([['a'], ['a'], ['a']]);
  });

  test('are kept for five minutes unless the policy says otherwise', async () => {
    const { clock, fetches, ask } = setup();
    const first = ask();
    await fetches[0]?.answer(['a']);
    await first;
    clock.advance(4 * MINUTE - 1);
    expect(await kids(ask())).toEqual(['a']);
    expect(fetches).toHaveLength(1);
  });

  test('are fetched anew, unnoticed, shortly before they are too old', async () => {
    const { clock, fetches, ask } = setup('10m');
    const first = ask();
    await fetches[0]?.answer(['a']);
    await first;
    clock.advance(8 * MINUTE);
    expect(ask()).not.toBeInstanceOf(Promise);
    expect(fetches).toHaveLength(2);
    await fetches[1]?.answer(['b']);
    expect(await kids(ask())).toEqual(['b']);
    clock.advance(8 * MINUTE - 1);
    expect(await kids(ask())).toEqual(['b']);
    expect(fetches).toHaveLength(2);
  });

  test('that are too old are not used: the request waits for new ones', async () => {
    const { clock, fetches, ask } = setup();
    const first = ask();
    await fetches[0]?.answer(['a']);
    await first;
    clock.advance(5 * MINUTE);
    const waiting = ask();
    expect(waiting).toBeInstanceOf(Promise);
    await fetches[1]?.answer(['b']);
    expect(await kids(waiting)).toEqual(['b']);
  });

  test('stay in use while their server fails, and nobody waits a second time', async () => {
    const { clock, fetches, warnings, ask } = setup();
    const first = ask();
    await fetches[0]?.answer(['a']);
    await first;
    clock.advance(5 * MINUTE);
    const waiting = ask();
    await fetches[1]?.fail();
    expect(await kids(waiting)).toEqual(['a']);
    clock.advance(200);
    expect(ask()).not.toBeInstanceOf(Promise);
    expect(fetches).toHaveLength(3);
    expect(warnings).toHaveLength(1);
    await fetches[2]?.answer(['b']);
    expect(await kids(ask())).toEqual(['b']);
  });

  test('that could not be had are asked for again after a pause that grows to 15 seconds', async () => {
    const { clock, fetches, ask } = setup();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const waiting = ask();
      await fetches.at(-1)?.fail();
      expect(await kids(waiting)).toEqual([]);
      const failedAt = clock.monotonic();
      while (fetches.length === attempt + 1 && clock.monotonic() - failedAt < 60_000) {
        clock.advance(100);
        void ask();
      }
      pauses.push(clock.monotonic() - failedAt);
    }
    expect(pauses).toEqual([200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 15_000]);
  });

  test('have ten seconds to come, and then the request goes on without them', async () => {
    const { clock, fetches, warnings, ask } = setup();
    const waiting = ask();
    clock.advance(9999);
    expect(fetches[0]?.call.cancellation.reason).toBeUndefined();
    clock.advance(1);
    expect(fetches[0]?.call.cancellation.reason).toBeInstanceOf(ProxyError);
    expect(await kids(waiting)).toEqual([]);
    expect(warnings[0]).toContain('no key set within 10000 ms');
  });

  test('have ten seconds in all, the body included', async () => {
    const { clock, fetches, ask } = setup();
    const waiting = ask();
    const { cancellation } = fetches[0]?.call ?? {};
    const body: Body = {
      read: () => new Promise((_, reject) => void cancellation?.onCancel(reject)),
      cancel: () => {},
      length: undefined,
    };
    await fetches[0]?.answer({ body });
    clock.advance(10_000);
    expect(await kids(waiting)).toEqual([]);
  });

  test('are no keys when they come with another status than 200, in too many bytes, or in no key set', async () => {
    for (const [given, reason] of [
      [{ status: 500, body: bytesBody(Buffer.from(keySetText(['a']))) }, 'status 500'],
      [{ status: 302 }, 'status 302'],
      [{ body: bytesBody(Buffer.alloc(1024 * 1024 + 1, ' ')) }, 'more than 1048576 bytes'],
      [{ body: bytesBody(Buffer.from('[]')) }, 'no JSON Web Key Set'],
      [{ body: undefined }, 'no JSON Web Key Set'],
    ] as const) {
      const { fetches, warnings, ask } = setup();
      const waiting = ask();
      await fetches[0]?.answer(given);
      expect(await kids(waiting)).toEqual([]);
      expect(warnings[0]).toContain(reason);
    }
  });

  test('may come in exactly a mebibyte', async () => {
    const { fetches, ask } = setup();
    const waiting = ask();
    const text = keySetText(['a']);
    await fetches[0]?.answer({ body: bytesBody(Buffer.from(text.padEnd(1024 * 1024))) });
    expect(await kids(waiting)).toEqual(['a']);
  });

  test('of a server nobody knows are not there, and that is no exception', async () => {
    const { fetches, warnings, ask } = setup(undefined, true);
    expect(await kids(ask())).toEqual([]);
    expect(fetches).toHaveLength(0);
    expect(warnings[0]).toContain('no Service ns/idp');
  });

  test('are fetched for everybody: a client that goes away does not end it', async () => {
    const { fetches, ask } = setup();
    const waiting = ask();
    expect(fetches[0]?.call.cancellation).not.toBe(exchangeOf().cancellation);
    await fetches[0]?.answer(['a']);
    expect(await kids(waiting)).toEqual(['a']);
  });
});
