import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CANARY_NAMESPACE } from '../../sut/canary.ts';
import { directoryDelivery, fileDelivery, httpDelivery, type Reload } from '../../sut/delivery.ts';
import { canonical } from '../../sut/dialect.ts';

let folder: string;
const signals: string[] = [];
let restarts = 0;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'conform-delivery-'));
  signals.length = 0;
  restarts = 0;
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function reload(how: Reload['how'], port = 1): Reload {
  return {
    how,
    endpoint: { host: '127.0.0.1', port },
    signal: (name) => void signals.push(name),
    restart: async () => {
      restarts += 1;
    },
  };
}

const one = { kind: 'HTTPRoute', metadata: { name: 'r', namespace: 'c-1' } };
const canary = { kind: 'Gateway', metadata: { name: 'canary', namespace: CANARY_NAMESPACE } };
const files = new Map([
  ['c-1', [one, one]],
  [CANARY_NAMESPACE, [canary]],
]);

describe('delivery', () => {
  test('into a directory writes one file per changed namespace, takes away what is gone, and leaves no draft', async () => {
    const deliver = directoryDelivery(folder, canonical, reload('watch'));
    expect(await deliver({ revision: 1, files, changed: ['c-1', CANARY_NAMESPACE] })).toEqual({ kind: 'delivered' });
    expect((await readdir(folder)).toSorted()).toEqual(['c-1.yaml', 'canary.yaml']);
    expect(await readFile(path.join(folder, 'c-1.yaml'), 'utf8')).toBe(
      `---\n${JSON.stringify(one)}\n---\n${JSON.stringify(one)}\n`,
    );
    await deliver({ revision: 2, files: new Map([[CANARY_NAMESPACE, [canary]]]), changed: ['c-1', CANARY_NAMESPACE] });
    expect(await readdir(folder)).toEqual(['canary.yaml']);
  });

  test('into a file writes everything and then reloads as the manifest says', async () => {
    const file = path.join(folder, 'all.yaml');
    await fileDelivery(file, canonical, reload({ signal: 'HUP' }))({ revision: 1, files, changed: [] });
    expect((await readFile(file, 'utf8')).split('---\n')).toHaveLength(4);
    expect(signals).toEqual(['HUP']);
    await fileDelivery(file, canonical, reload('restart'))({ revision: 2, files, changed: [] });
    expect(restarts).toBe(1);
  });

  test('over HTTP sends everything, and an answer that is no success is a failed delivery', async () => {
    const got: string[] = [];
    const server = createServer((incoming, answer) => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (text: string) => (body += text));
      incoming.on('end', () => {
        got.push(`${incoming.method} ${incoming.url} ${body.split('---\n').length - 1}`);
        answer.writeHead(got.length === 1 ? 204 : 400).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const deliver = httpDelivery(
      canonical,
      reload({ http: 'PUT /config' }, typeof address === 'object' ? address?.port : 0),
    );
    expect(await deliver({ revision: 1, files, changed: [] })).toEqual({ kind: 'delivered' });
    expect(await deliver({ revision: 2, files, changed: [] })).toEqual({
      kind: 'failed',
      message: 'PUT /config was answered with 400',
    });
    expect(got).toEqual(['PUT /config 3', 'PUT /config 3']);
    await new Promise((resolve) => server.close(resolve));
  });

  test('into a folder that is not there is a failed delivery, not a crash of the runner', async () => {
    const deliver = directoryDelivery(path.join(folder, 'gone'), canonical, reload('watch'));
    const answer = await deliver({ revision: 1, files, changed: ['c-1'] });
    expect(answer.kind === 'failed' && answer.message).toMatch(/ENOENT/);
  });
});
