import { expect, test } from 'vitest';
import { lastingState, type Services } from '../../credentials/services.ts';
import { get, policy, simpleSetup, startDataPlane } from '../support/data-plane.ts';
import { SERVICES } from '../support/inert.ts';

test('lasting state is one per services and owner, and made when somebody asks', () => {
  let made = 0;
  const stateOf = lastingState(({ name }: { readonly name: string }) => ({ name, number: (made += 1) }));
  expect(made).toBe(0);
  const [one, other] = [{ name: 'one' }, { name: 'other' }];
  expect(stateOf(SERVICES, one)).toEqual({ name: 'one', number: 1 });
  expect(stateOf(SERVICES, other)).toEqual({ name: 'other', number: 2 });
  expect(stateOf(SERVICES, one)).toBe(stateOf(SERVICES, one));
  const elsewhere: Services = { ...SERVICES };
  expect(stateOf(elsewhere, one)).toEqual({ name: 'one', number: 3 });
  expect(made).toBe(3);
});

test('what was counted survives a change of something else, and ends with a change of its own', async () => {
  const hourly = limited({ requests: 1, unit: 'Hours' });
  await using proxy = await startDataPlane((port) => [...simpleSetup(port, 1), hourly]);
  const status = async (): Promise<string> => (await get(proxy.port)).slice('HTTP/1.1 '.length).slice(0, 3);
  expect([await status(), await status()]).toEqual(['204', '429']);

  const elsewhere = policy('Gateway', { traffic: { phase: 'PreRouting', cors: { allowOrigins: ['*'] } } });
  await proxy.configure([...simpleSetup(proxy.port, 2), hourly, elsewhere]);
  expect(await status()).toBe('429');

  await proxy.configure([...simpleSetup(proxy.port, 2), limited({ requests: 1, unit: 'Minutes' }), elsewhere]);
  expect(await status()).toBe('204');
});

function limited(limit: object): object {
  return policy('HTTPRoute', { traffic: { rateLimit: { local: [limit] }, directResponse: { status: 204 } } });
}
