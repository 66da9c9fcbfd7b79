import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { start } from '../../support/start.ts';

test('a blackhole takes no connection, refuses none, and is gone when it is stopped', async () => {
  const mock = await start({ kind: 'tcp', fault: 'blackhole' });
  const outcome = (): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect(mock.port, mock.host);
      const settle = (text: string) => () => {
        socket.destroy();
        resolve(text);
      };
      socket.setTimeout(300, settle('silence'));
      socket.on('connect', settle('connected')).on('error', settle('refused'));
    });
  expect(await Promise.all([outcome(), outcome(), outcome()])).toEqual(['silence', 'silence', 'silence']);
  expect(mock.ledger.attempted).toBeUndefined();
  await mock.stop();
  expect(await outcome()).toBe('refused');
});
