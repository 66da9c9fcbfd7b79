import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFeatures } from '../../clauses/features.ts';
import { startProcessSession } from '../../sut/adapters/process.ts';
import { parseManifest } from '../../sut/manifest.ts';
import { sharePlatform, startPlatform } from '../../sut/platform.ts';
import { featuresOf, OF_PLATFORM } from '../../sut/start-parts.ts';

const TOKEN = '/computeMetadata/v1/instance/service-accounts/default/token?scopes=any';
const MARK = { 'metadata-flavor': 'Google' };

test('the platform shows its mark, and gives its token to whoever asks with it', async () => {
  const platform = await startPlatform(await mkdtemp(join(tmpdir(), 'platform-')));
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`http://${platform.address}${path}`, { headers });
  try {
    expect((await ask('/')).headers.get('metadata-flavor')).toBe('Google');
    expect(await (await ask(TOKEN, MARK)).json()).toMatchObject({
      access_token: 'token-of-the-platform',
      expires_in: 3599,
      token_type: 'Bearer',
    });
    expect((await ask(TOKEN)).status).toBe(403);
    const project = await ask('/computeMetadata/v1/project/project-id', MARK);
    expect([project.status, await project.text()]).toEqual([200, expect.stringMatching(/^[a-z][a-z0-9-]+$/)]);
    expect((await ask('/computeMetadata/v1/instance/hostname', MARK)).status).toBe(404);
  } finally {
    await platform.stop();
  }
  await expect(ask('/')).rejects.toThrow();
});

test('sessions share the place that a manifest names, and nobody else may have it', async () => {
  const free = await startPlatform(await mkdtemp(join(tmpdir(), 'platform-')));
  const port = Number(free.address.split(':')[1]);
  await expect(sharePlatform('127.0.0.1', port)).rejects.toThrow(
    /^peers\.platform: nothing can be offered at .*EADDRINUSE/,
  );
  await free.stop();
  const [one, other] = await Promise.all([sharePlatform('127.0.0.1', port), sharePlatform('127.0.0.1', port)]);
  const ask = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/`)).status;
  await one.stop();
  expect(await ask()).toBe(200);
  await other.stop();
  await expect(ask()).rejects.toThrow();
  const again = await sharePlatform('127.0.0.1', port);
  expect(await ask()).toBe(200);
  await again.stop();
});

/** Of a managed identity: its name says what goes wrong. */
function identityAt(address: string, identity: string): Promise<Response> {
  const query = new URLSearchParams({ 'api-version': '2019-08-01', resource: 'r', client_id: identity });
  return fetch(`http://${address}/msi/token?${query.toString()}`, {
    headers: { 'x-identity-header': 'header-of-the-identity' },
    signal: AbortSignal.timeout(identity === 'hangs' ? 200 : 5_000),
  });
}

test('the platform fails whoever asks under the name of a failure', async () => {
  const platform = await startPlatform(await mkdtemp(join(tmpdir(), 'platform-')));
  const ask = async (identity: string): Promise<string> => (await identityAt(platform.address, identity)).text();
  try {
    expect(await ask('fails')).toBe('later');
    expect((await identityAt(platform.address, 'fails')).status).toBe(503);
    expect(await ask('late')).toMatch('"access_token":"by-identity~late~r"');
    for (const identity of ['resets', 'half-closes', 'no-http']) await expect(ask(identity)).rejects.toThrow('failed');
    await expect(ask('hangs')).rejects.toThrow('timeout');
    expect(await ask('well')).toMatch('"access_token":"by-identity~well~r"');
  } finally {
    await platform.stop();
  }
});

test('a program finds the platform where its environment says', { timeout: 30_000 }, async () => {
  const program = `fetch('http://' + process.env.GCE_METADATA_HOST).then((answer) => console.log('answered ' + answer.status)); setInterval(() => {}, 1e6)`;
  const text = `contract: 1
implementation: {name: tiny}
run:
  kind: process
  command: ${JSON.stringify([process.execPath, '-e', program])}
  env: {GCE_METADATA_HOST: '{{platform}}'}
  ready: {within: 20s, line: '^answered 200'}
`;
  const manifest = parseManifest(text, 'implementation.yaml');
  if (manifest.run.kind !== 'process') throw new Error('no program');
  const session = await startProcessSession(manifest, manifest.run);
  expect(session.crashed()).toBeUndefined();
  await session.stop();
});

test('who is not started by the suite has no feature that speaks of the platform', () => {
  const speaking = readFeatures().filter(({ text }) => text.includes('{{platform'));
  expect(speaking.map(({ id }) => id).toSorted()).toEqual([...OF_PLATFORM].toSorted());
  const features = Object.fromEntries(['core.http', ...OF_PLATFORM].map((name) => [name, 'yes']));
  const declared = (run: object, more: object = {}): readonly string[] => {
    const text = JSON.stringify({ contract: 1, implementation: { name: 'p' }, run, features, ...ENDPOINTS, ...more });
    const has = featuresOf(parseManifest(text, 'implementation.yaml'), undefined);
    return Object.keys(features).filter((name) => has[name] === true);
  };
  expect(declared({ kind: 'kubernetes', kubeconfig: 'kubeconfig' })).toEqual(['core.http']);
  expect(declared({ kind: 'url', config: { deliver: 'directory', path: 'd', reload: 'watch' } })).toEqual([
    'core.http',
  ]);
  const command = { command: ['p'], config: { deliver: 'directory', path: 'd', reload: 'watch' } };
  expect(declared({ kind: 'process', ...command })).toEqual(['core.http', ...OF_PLATFORM]);
  // Whoever starts it may tell it, where the manifest names a port.
  const told = { peers: { address: '127.0.0.1', platform: 18_999 } };
  expect(declared({ kind: 'kubernetes', kubeconfig: 'kubeconfig' }, told)).toEqual(['core.http', ...OF_PLATFORM]);
});

const ENDPOINTS = { endpoints: { data: 'http://127.0.0.1:1' } };
