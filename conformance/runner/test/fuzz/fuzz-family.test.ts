import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addFuzzCommand } from '../../commands/fuzz.ts';
import { fuzzFamily } from '../../fuzz/fuzz-family.ts';
import { brokenManifest, runCases } from '../../gallery/broken-reference.ts';
import { loadRunnable } from '../../load-suite.ts';
import { loadManifest, type Manifest } from '../../sut/manifest.ts';
import { packageRoot } from '../../values/package-root.ts';
import { collect } from '../support/conform.ts';
import { runHere } from '../support/run-here.ts';
import { referenceSources, wholeGallery } from '../support/whole-gallery.ts';

const root = packageRoot();
const reference = loadManifest(path.join(root, 'reference-impl/implementation.yaml'));
const stop = new AbortController().signal;

/** What each family finds. */
const FOUND = [
  ['merge', 'merge-general-wins'],
  ['merge', 'merge-drops-siblings'],
  ['admission', 'short-string-of-257'],
  ['admission', 'enum-in-any-case'],
  ['expressions', 'authz-error-allows'],
  ['expressions', 'authz-error-denies-deny'],
  ['requests', 'prefix-not-segment-wise'],
  ['streams', 'llm-stream-chunk-is-event'],
  ['streams', 'llm-swallows-done'],
] as const;

// A search takes ten seconds: CI makes one of them, and its next commits make the others.
const SHARES = FOUND.length;
const { PROPERTY_SEED: seedOfCommit } = process.env;
const drawn = FOUND.filter(
  (_, index) => seedOfCommit === undefined || index % SHARES === Number(seedOfCommit) % SHARES,
);

/** A folder for what each search finds. */
let out = '';
beforeAll(async () => {
  out = await mkdtemp(path.join(tmpdir(), 'conform-fuzz-'));
});
afterAll(async () => rm(out, { recursive: true, force: true }));

describe('fuzzing', { timeout: 120_000 }, () => {
  test.each(drawn)('%s finds %s, and its counterexample is a case that is red there', async (family, defect) => {
    const broken = await brokenBy(defect, path.join(out, 'broken', defect));
    const folder = path.join(out, 'found', defect);
    const search = { family, manifest: broken, forMs: 20_000, seed: 7, out: folder, bail: true, stop } as const;
    const results = await fuzzFamily(search);
    // Nothing is asked through the vantages behind it.
    expect(results.at(-1)).toMatchObject({ result: { verdict: 'fail' } });
    const found = results.flatMap((one) => ('result' in one && one.result.verdict === 'fail' ? [one.result] : []));
    expect(found[0]?.reason).toContain(folder);
    const [file = ''] = await readdir(folder);
    expect(await verdictsOf(path.join(folder, file), broken)).toContain('fail');
  });

  test('and every counterexample is green on the reference', async () => {
    const folders = await readdir(path.join(out, 'found'));
    expect(folders).toHaveLength(drawn.length);
    // One by one: two defects may be found by the same counterexample, whose id is then the same.
    for (const folder of folders) {
      expect(new Set(await verdictsOf(path.join(out, 'found', folder), reference))).toEqual(new Set(['pass']));
    }
  });

  test('of the reference contradicts nothing, ends by itself when its time is over, and says what it judged and what is not declared', async () => {
    const from = path.join(root, 'reference-impl');
    const text = await readFile(path.join(from, 'implementation.yaml'), 'utf8');
    const less = text.replaceAll('{{manifest}}', from).replace('trace.watch: yes', 'trace.watch: no');
    const file = path.join(out, 'implementation.yaml');
    await writeFile(file, less);
    const ended = await collect(['fuzz', 'merge', '--time', '1s', '--seed', '7', '--impl', file]);
    expect(ended.stdout).toMatch(
      /^pass {2}\S+: \d+ policy sets through op, \d+ checks, seed 7\n.*MERGE-017\n\S+: not offered, needs trace\.watch\n$/,
    );
    expect(ended.code).toBe(0);
  });

  test.each([
    [
      'a family that is none',
      ['fuzz', 'nothing'],
      /Allowed choices are merge, admission, expressions, requests, streams/,
    ],
    ['a time that is none', ['fuzz', 'merge', '--time', 'long'], /a duration like 500ms, 30s or 5m is wanted/],
  ])('%s exits with 2', async (_, args, text) => {
    const ended = await runHere(addFuzzCommand, ...args);
    expect(ended.stderr).toMatch(text);
    expect(ended.code).toBe(2);
  });
});

async function brokenBy(id: string, folder: string): Promise<Manifest> {
  const { defects } = await wholeGallery();
  const defect = defects.find((one) => one.id === id);
  if (defect === undefined) throw new Error(`the gallery has no ${id}`);
  await mkdir(folder, { recursive: true });
  return brokenManifest(reference, defect, { folder, root, sources: await referenceSources() });
}

async function verdictsOf(folder: string, manifest: Manifest): Promise<readonly string[]> {
  const { cases } = await loadRunnable({ folder });
  const verdicts: string[] = [];
  const report = ({ verdict }: { readonly verdict: string }): void => void verdicts.push(verdict);
  await runCases(cases, manifest, { seed: 1, stop, report });
  return verdicts;
}
