import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addLiveCheckCommand } from '../../commands/live-check.ts';
import { brokenManifest } from '../../gallery/broken-reference.ts';
import { loadManifest } from '../../sut/manifest.ts';
import { packageRoot } from '../../values/package-root.ts';
import { collect } from '../support/conform.ts';
import { backendAt, startReferenceProxy } from '../support/reference-proxy.ts';
import { runHere } from '../support/run-here.ts';
import { referenceSources, wholeGallery } from '../support/whole-gallery.ts';

const root = packageRoot();

describe('live-check', { timeout: 120_000 }, () => {
  test('finds nothing in the traces of a proxy that others speak through', async () => {
    const ended = await checkWhileOthersSpeak({}, async (args) => collect(args));
    expect(`${ended.stdout}${ended.stderr}`).toMatch(
      /^pass {2}trace 1: \d+ events\n1 traces judged, 0 of them wrong\n$/,
    );
    expect(ended.code).toBe(0);
  });

  test('finds all that is wrong with a trace', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'conform-live-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = await environmentOf(['trace-clock-goes-back', 'trace-swaps-snapshots', 'trace-no-call-start'], folder);
    const { stdout, stderr, code } = await checkWhileOthersSpeak(env, async (args) =>
      runHere(addLiveCheckCommand, ...args),
    );
    expect(stderr).toBe('');
    // A time that goes back, snapshots in the wrong order, and a body that is not there.
    expect(stdout).toMatch(/TRACE-018 event \d+: eventEnd \d+ comes after \d+\n/);
    expect(stdout).toMatch(/TRACE-037 event \d+: \S.* stands after \S/);
    expect(stdout).toMatch(/TRACE-047 there is no backendCallStart\n/);
    expect(code).toBe(1);
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
    const ended = await runHere(addLiveCheckCommand, 'live-check', ...args);
    expect(ended.stderr).toMatch(text);
    expect(ended.code).toBe(code);
  });
});

/** One of the requests of somebody else is the next after the stream is open. */
async function checkWhileOthersSpeak<Ended>(
  env: Readonly<Record<string, string>>,
  check: (args: readonly string[]) => Promise<Ended>,
): Promise<Ended> {
  const backend = createServer((_request, response) => void response.end('from-up')).listen(0, '127.0.0.1');
  try {
    await once(backend, 'listening');
    const address = backend.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await using proxy = await startReferenceProxy(backendAt('up', { static: { host: '127.0.0.1', port } }), env);
    const traffic = { goes: true };
    const ended = check(['live-check', proxy.admin, '--traces', '1', '--time', '30s']).finally(
      () => (traffic.goes = false),
    );
    while (traffic.goes) await (await fetch(`${proxy.url}/up`, { headers: { connection: 'close' } })).text();
    return await ended;
  } finally {
    backend.close();
  }
}

/** The variables that make the reference do all of these at once. */
async function environmentOf(ids: readonly string[], folder: string): Promise<Readonly<Record<string, string>>> {
  const { defects } = await wholeGallery();
  const [first, ...others] = ids.map((id) => {
    const defect = defects.find((one) => one.id === id);
    if (defect === undefined) throw new Error(`the gallery has no ${id}`);
    return defect;
  });
  if (first === undefined) throw new Error('no defect is asked for');
  const together = { ...first, edits: [first, ...others].flatMap(({ edits }) => edits) };
  const reference = loadManifest(path.join(root, 'reference-impl/implementation.yaml'));
  const on = { folder, root, sources: await referenceSources() };
  const { extraEnv = {} } = await brokenManifest(reference, together, on);
  return extraEnv;
}
