import { expect, test } from 'vitest';
import { targetOf } from '../../steps/target.ts';
import { createCanary } from '../../sut/canary.ts';
import { Configuration } from '../../sut/configuration.ts';
import { gatewayAddress } from '../../sut/gateway-address.ts';
import type { OperationAnswer, Session } from '../../sut/session.ts';
import { startFakeSession } from '../support/fake-session.ts';

const GATEWAY = { kind: 'Gateway', metadata: { name: 'gw', namespace: 'c-1' }, spec: {} };

function answers(...statuses: readonly unknown[]): Pick<Session, 'op' | 'crashed'> & { asked: unknown[] } {
  const asked: unknown[] = [];
  const op = async (name: string, input: unknown): Promise<OperationAnswer> => {
    asked.push({ name, input });
    return { kind: 'result', result: { status: statuses[Math.min(asked.length, statuses.length) - 1] } };
  };
  return { op, crashed: () => undefined, asked };
}

const addresses = [{ type: 'IPAddress', value: '192.0.2.3' }];
const programmed = (status: string): object => ({ addresses, conditions: [{ type: 'Programmed', status }] });
const programmedAt = (observedGeneration: number): object => ({
  addresses,
  conditions: [{ type: 'Programmed', status: 'True', observedGeneration }],
});
const question = { gateway: GATEWAY, resources: [GATEWAY], caseId: 'a.case', withinMs: 60 };

test('the address of a Gateway counts once it is Programmed', async () => {
  const session = answers(null, { conditions: [] }, programmed('False'), programmed('True'));
  expect(await gatewayAddress(session, { ...question, withinMs: 5000 })).toBe('192.0.2.3');
  expect(session.asked).toHaveLength(4);
  expect(session.asked[0]).toMatchObject({ name: 'status', input: { kind: 'Gateway', name: 'gw', namespace: 'c-1' } });
});

test('what its status says of an earlier generation does not count', async () => {
  const asked: unknown[] = [];
  const op = async (): Promise<OperationAnswer> => {
    asked.push(undefined);
    return { kind: 'result', result: { status: programmedAt(asked.length), generation: 3 } };
  };
  expect(await gatewayAddress({ op, crashed: () => undefined }, { ...question, withinMs: 5000 })).toBe('192.0.2.3');
  expect(asked).toHaveLength(3);
});

test.each([
  ['is not Programmed', programmed('False')],
  ['has no address', { ...programmed('True'), addresses: [] }],
  ['has no status', null],
])('a Gateway that %s in time has none', async (_, status) => {
  expect(await gatewayAddress(answers(status), question)).toBeUndefined();
});

test('a Gateway that nobody has accepted is given up sooner than one that is on its way', async () => {
  const told: string[] = [];
  const asked = { ...question, withinMs: 5000, acceptedWithinMs: 30, instead: (what: string) => told.push(what) };
  const accepted = { conditions: [{ type: 'Accepted', status: 'True' }] };
  const later = [...Array.from({ length: 6 }, () => accepted), programmed('True')];
  expect(await gatewayAddress(answers(...later), asked)).toBe('192.0.2.3');
  const refused = { type: 'Accepted', status: 'False', reason: 'Invalid', message: 'no such class' };
  expect(await gatewayAddress(answers({ conditions: [refused] }), asked)).toBeUndefined();
  expect(told).toEqual(['Accepted is False, Invalid, no such class; addresses: 0']);
});

test('the canary is asked where its own Gateway is', async () => {
  const canary = createCanary();
  const fake = await startFakeSession(() => canary.token);
  const { port } = fake.session.endpoints.data;
  const elsewhere = { data: { host: '127.0.0.9', port } };
  const at = (value: string): Configuration => {
    const { op } = answers({ ...programmed('True'), addresses: [{ value }] });
    const session = { ...fake.session, endpoints: elsewhere, op };
    return new Configuration({ session, canary, withinMs: 150, addressed: true });
  };
  try {
    expect(await at('127.0.0.1').redeliver()).toMatchObject({ outcome: 'accepted' });
    expect(await at('127.0.0.8').redeliver()).toMatchObject({ outcome: 'not-observed' });
    const lost = { ...fake.session, op: answers(null).op };
    const nowhere = new Configuration({ session: lost, canary, withinMs: 60, addressed: true });
    expect(await nowhere.redeliver()).toMatchObject({
      outcome: 'not-observed',
      message:
        'config-not-observed rev 1: the canary has no address: its Gateway was not Programmed within 60 ms, its status: it has no conditions',
    });
  } finally {
    await Promise.all([canary.stop(), fake.close()]);
  }
});

test('a step goes to the Gateway that serves its host, to the one of its case otherwise, and to the admin listener where that is', async () => {
  const fake = await startFakeSession(() => 'token');
  await fake.close();
  const endpoints = {
    data: { host: '192.0.2.3', port: 80 },
    admin: { host: '127.0.0.1', port: 15_000 },
    ofHosts: new Map([
      ['other.test', '192.0.2.4'],
      ['*.other.test', '192.0.2.5'],
      ['*.far.other.test', '192.0.2.6'],
    ]),
  };
  const context = { session: { ...fake.session, endpoints }, listenerPort: () => 81 };
  expect(targetOf({}, context)).toEqual({ host: '192.0.2.3', port: 80 });
  expect(targetOf({ host: 'other.test' }, context)).toEqual({ host: '192.0.2.4', port: 80 });
  expect(targetOf({ host: 'a.other.test' }, context).host).toBe('192.0.2.5');
  expect(targetOf({ host: 'a.b.far.other.test' }, context).host).toBe('192.0.2.6');
  expect(targetOf({ host: 'another.test' }, context).host).toBe('192.0.2.3');
  expect(targetOf({ listener: 'one' }, context)).toEqual({ host: '192.0.2.3', port: 81 });
  expect(targetOf({ port: 15_000 }, context)).toEqual(endpoints.admin);
});
