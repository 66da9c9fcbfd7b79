import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startAdapterClient, type AdapterClient } from '../../sut/adapter-client.ts';
import { canonical } from '../../sut/dialect.ts';
import { probeAdapter, requireHonesty } from '../../sut/honesty.ts';
import { adapterDelivery, operationsOf } from '../../sut/operations.ts';
import { ImplementationFault } from '../../sut/session.ts';

const script = path.join(import.meta.dirname, '../support/scripted-adapter.ts');
const running: AdapterClient[] = [];

async function start(mode: string): Promise<AdapterClient> {
  const adapter = await startAdapterClient([process.execPath, script, mode], import.meta.dirname);
  running.push(adapter);
  return adapter;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map(async (adapter) => adapter.stop()));
});

describe('an adapter', () => {
  test('says who it is and answers operations, several at a time', async () => {
    const adapter = await start('good');
    expect(adapter.hello).toMatchObject({ implementation: { name: 'scripted' }, ops: ['echo'] });
    const op = operationsOf(adapter, canonical);
    const answers = await Promise.all([1, 2, 3].map(async (n) => op('echo', { n }, 'a.case')));
    expect(answers).toEqual([1, 2, 3].map((n) => ({ kind: 'result', result: { n } })));
    expect(await op('other', {}, 'a.case')).toEqual({ kind: 'unsupported', message: 'op other' });
  });

  test('that answers unsupported to what nobody can know is honest', async () => {
    const probes = await probeAdapter(await start('good'), true);
    expect(probes.map(({ name, honest }) => [name, honest])).toEqual([
      ['a random command', true],
      ['a random operation', true],
      ['a resource of a random kind', true],
    ]);
  });

  test('that says yes to everything is refused', async () => {
    const adapter = await start('liar');
    await expect(requireHonesty(adapter, true)).rejects.toThrow(
      /the adapter is refused: it answered .*"ok":true.* to a random command/,
    );
  });

  test('that dies is named with its end and its last words', async () => {
    const adapter = await start('dying');
    const answer = await operationsOf(adapter, canonical)('echo', {}, 'a.case');
    expect(answer.kind).toBe('error');
    expect(answer).toHaveProperty(
      'message',
      expect.stringMatching(/the adapter exited with code 9; its last words: scripted adapter, dying/),
    );
    expect(adapter.broken()).toBe('exited with code 9');
  });

  test('that stays silent is named after the limit', async () => {
    const adapter = await start('silent');
    await expect(adapter.call('op', { op: 'echo' }, 50)).rejects.toThrow(/gave no answer to op within 50 ms/);
  });

  test('that never says hello is named after the limit of hello, and has ended', async () => {
    const silent = [process.execPath, '--eval', 'process.stdin.resume()'];
    await expect(startAdapterClient(silent, import.meta.dirname, { helloWithinMs: 50 })).rejects.toThrow(
      /gave no answer to hello within 50 ms/,
    );
  });

  test('that prints something else on stdout is broken from then on', async () => {
    const adapter = await start('noisy');
    await expect(adapter.call('op', { op: 'echo' })).rejects.toThrow(
      /printed something that is no answer on stdout: "this is not protocol"/,
    );
    await expect(adapter.call('op', { op: 'echo' })).rejects.toThrow(ImplementationFault);
  });

  test('that answers in another shape has broken the protocol', async () => {
    const answer = await operationsOf(await start('wrong-shape'), canonical)('echo', {}, 'a.case');
    expect(answer.kind === 'error' && answer.message).toMatch(/broke the protocol/);
  });

  test('with another protocol version or no program at all cannot be started', async () => {
    await expect(start('wrong-hello')).rejects.toThrow(/answered hello wrongly: .*protocol/);
    await expect(startAdapterClient(['/no/such/program'], import.meta.dirname)).rejects.toThrow(
      /could not be started: .*ENOENT/,
    );
  });

  test('that names a feature nobody knows is told which one may have been meant', async () => {
    await expect(start('wrong-feature')).rejects.toThrow(
      /answered hello wrongly: features\.core\.htp: unknown feature core\.htp, did you mean core\.http\?/,
    );
  });

  test('hands over resources and passes on what is rejected', async () => {
    const deliver = adapterDelivery(await start('good'), canonical);
    const good = { revision: 1, files: new Map([['c-1', [{ kind: 'HTTPRoute' }]]]), changed: ['c-1'] };
    expect(await deliver(good)).toEqual({ kind: 'delivered' });
    const bad = { revision: 2, files: new Map([['c-bad', [{ kind: 'Bad' }]]]), changed: ['c-bad'] };
    expect(await deliver(bad)).toMatchObject({
      kind: 'rejected',
      violations: [{ namespace: 'c-bad', path: 'kind', message: 'unknown kind' }],
    });
  });
});
