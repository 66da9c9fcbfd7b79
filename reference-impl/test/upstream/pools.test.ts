import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Endpoint } from '../../attachment/view.ts';
import type { DialOptions } from '../../upstream/dial.ts';
import { keyOf } from '../../upstream/pools.ts';

// Few values, so that parts are often the same, and values that look like pieces of a key.
const endpoints: fc.Arbitrary<Endpoint> = fc.oneof(
  fc.record({
    kind: fc.constant('tcp' as const),
    host: fc.constantFrom('a', 'b', 'unix', '::1'),
    port: fc.constantFrom(1, 80),
  }),
  fc.record({
    kind: fc.constant('unix' as const),
    path: fc.constantFrom('80', '/x', '/x 1  ', '/x 1   by a:1', '["a",1]', 'a:1'),
  }),
);

const ways = fc.letrec<{ readonly options: DialOptions }>((tie) => ({
  options: fc.record(
    {
      connectTimeout: fc.constantFrom(1, 11),
      keepalive: fc.option(
        fc.record({ time: fc.constantFrom(1, 11), interval: fc.constantFrom(1, 11), retries: fc.constantFrom(1, 11) }),
        { nil: undefined },
      ),
      tls: fc.constantFrom('one', 'two', 'one,null').map((fingerprint) => ({
        fingerprint,
        policy: {},
        ca: undefined,
        client: undefined,
        unusable: undefined,
      })),
      tunnel: fc.record({
        endpoints: fc.array(endpoints, { maxLength: 2 }),
        dial: tie('options'),
        unusable: fc.constantFrom(undefined, 'nobody'),
      }),
    },
    { requiredKeys: ['connectTimeout', 'keepalive'] },
  ),
})).options;

// Cloned, because records come with and without a prototype, which makes them differ for who compares strictly.
const places = fc.tuple(endpoints, ways).map((place) => structuredClone(place));

const key = ([endpoint, options]: readonly [Endpoint, DialOptions]): string => keyOf(endpoint) + keyOf(options);

test('those share connections who want the same endpoint in the same way, and nobody else', () => {
  fc.assert(
    fc.property(places, places, (one, other) => (key(one) === key(other)) === isDeepStrictEqual(one, other)),
    { numRuns: 20_000 },
  );
  fc.assert(fc.property(places, (place) => key(place) === key(structuredClone(place))));
});

test.each<readonly [Endpoint, Endpoint]>([
  [
    { kind: 'unix', path: '80' },
    { kind: 'tcp', host: 'unix', port: 80 },
  ],
  [
    { kind: 'unix', path: '["a",1]' },
    { kind: 'tcp', host: 'a', port: 1 },
  ],
])('%j and %j are two endpoints', (one, other) => {
  expect(keyOf(one)).not.toBe(keyOf(other));
});
