import { afterEach, expect, test } from 'vitest';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { findMissingNames } from '../../schedule/probe-names.ts';
import { concreteCase } from '../support/concrete-case.ts';
import { startFakeSession, type FakeSession } from '../support/fake-session.ts';
import { instanceOf } from '../support/instance.ts';

let fake: FakeSession | undefined;
afterEach(async () => fake?.close());

const naming = (expression: string, id = 'x.y'): ConcreteCase =>
  concreteCase(id, {
    config: [
      {
        kind: 'ProxyPolicy',
        metadata: { name: 'p' },
        spec: { traffic: { authorization: { policy: { matchExpressions: [expression] } } } },
      },
    ],
  });

async function missingOf(said: Readonly<Record<string, unknown>>, one: ConcreteCase): Promise<readonly string[]> {
  fake = await startFakeSession(() => '');
  const session = { ...fake.session, unspecified: said };
  const instance = instanceOf(session);
  const missing = await findMissingNames(instance, { cases: [one], read: [], stop: new AbortController().signal });
  return missing(one);
}

const reason = (name: string): string => `the name ${name} in expressions, which no document defines (U-041)`;

test('an implementation that has all names is held to them', async () => {
  expect(await missingOf({ 'U-041': 'all' }, naming('jwt.sub == llm.model'))).toEqual([]);
});

test('of those that a manifest lists the others are missing', async () => {
  const one = naming("jwt.sub == 'a' && basicAuth.username == 'b' && source.address != ''");
  expect(await missingOf({ 'U-041': ['jwt'] }, one)).toEqual([reason('basicAuth.username')]);
});

test('a name that a feature promises is there with the feature only', async () => {
  expect(await missingOf({}, naming('llm.totalTokens > 1'))).toEqual([reason('llm')]);
});

test('a name whose probe cannot be run counts as there, and a probe never lacks its own name', async () => {
  expect(await missingOf({}, naming("jwt.sub == 'a'"))).toEqual([]);
  expect(await missingOf({ 'U-041': [] }, naming("jwt.sub == 'a'", 'expressions.names.jwt'))).toEqual([]);
});
