import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenManifest } from '../../gallery/broken-reference.ts';
import { loadManifest } from '../../sut/manifest.ts';
import { packageRoot } from '../../values/package-root.ts';
import { collect } from '../support/conform.ts';
import { backendAt, startReferenceProxy } from '../support/reference-proxy.ts';
import { referenceSources, wholeGallery } from '../support/whole-gallery.ts';

const root = packageRoot();

describe('live-check', { timeout: 120_000 }, () => {
  test.each([
    ['nothing', undefined, /^pass {2}trace 1: \d+ events\n1 traces judged, 0 of them wrong\n$/, 0],
    ['a time that goes back', 'trace-clock-goes-back', /TRACE-018 event \d+: eventEnd \d+ comes after \d+\n/, 1],
    ['snapshots in the wrong order', 'trace-swaps-snapshots', /TRACE-037 event \d+: \S.* stands after \S/, 1],
    ['a body that is not there', 'trace-no-call-start', /TRACE-047 there is no backendCallStart\n/, 1],
  ] as const)('finds %s in the traces of a proxy that others speak through', async (_, defect, text, code) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'conform-live-'));
    const backend = createServer((_request, response) => void response.end('from-up')).listen(0, '127.0.0.1');
    try {
      await once(backend, 'listening');
      const address = backend.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const env = defect === undefined ? {} : await environmentOf(defect, folder);
      await using proxy = await startReferenceProxy(backendAt('up', { static: { host: '127.0.0.1', port } }), env);
      const traffic = { goes: true };
      const ended = collect(['live-check', proxy.admin, '--traces', '1', '--time', '30s']).finally(
        () => (traffic.goes = false),
      );
      // Somebody's traffic: one of these is the next request after the stream is open.
      while (traffic.goes) await (await fetch(`${proxy.url}/up`, { headers: { connection: 'close' } })).text();
      const { stdout, stderr, code: exit } = await ended;
      expect(`${stdout}${stderr}`).toMatch(text);
      expect(exit).toBe(code);
    } finally {
      backend.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  test.each([
    ['an address that is none', ['nowhere'], /nowhere is no URL of an admin listener/, 2],
    [
      'a port where nobody listens',
      ['http://127.0.0.1:1', '--time', '2s'],
      /127\.0\.0\.1:1\/debug\/trace cannot be reached/,
      3,
    ],
  ] as const)('%s is said', async (_, args, text, code) => {
    const ended = await collect(['live-check', ...args]);
    expect(ended.stderr).toMatch(text);
    expect(ended.code).toBe(code);
  });
});

async function environmentOf(id: string, folder: string): Promise<Readonly<Record<string, string>>> {
  const { defects } = await wholeGallery();
  const defect = defects.find((one) => one.id === id);
  if (defect === undefined) throw new Error(`the gallery has no ${id}`);
  const reference = loadManifest(path.join(root, 'reference-impl/implementation.yaml'));
  const { extraEnv = {} } = await brokenManifest(reference, defect, {
    folder,
    root,
    sources: await referenceSources(),
  });
  return extraEnv;
}
