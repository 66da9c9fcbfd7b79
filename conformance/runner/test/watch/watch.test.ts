import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchFolder } from '../../watch/folder-watch.ts';
import { watchSuite } from '../../watch/watch.ts';
import { EVERYTHING } from '../../case/select.ts';
import { tinyManifest } from '../support/conform.ts';

const goodCases = path.join(import.meta.dirname, '../support/cases/good');

function nothing(): void {}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'conform-watch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** Every line that was said, and whoever waits for the next like this. */
function lines(): { readonly say: (line: string) => void; readonly next: (like: RegExp) => Promise<string> } {
  const said: string[] = [];
  let seen = 0;
  let look = nothing;
  return {
    say: (line) => {
      said.push(line);
      look();
    },
    next: (like) =>
      new Promise((resolve) => {
        look = () => {
          while (seen < said.length) {
            const line = said[seen] ?? '';
            seen += 1;
            if (!like.test(line)) continue;
            look = nothing;
            resolve(line);
            return;
          }
        };
        look();
      }),
  };
}

/** A copy of the tiny implementation with its manifest, and of its cases, with a watch over them. */
async function startWatch(
  behaviour: string,
  patterns: readonly string[] = [],
  edited: (text: string) => string = (text) => text,
) {
  const cases = path.join(folder, 'cases');
  const manifestFile = path.join(folder, 'implementation.yaml');
  const caseFile = path.join(cases, 'simple.yaml');
  await cp(goodCases, cases, { recursive: true });
  await writeFile(caseFile, edited(await readFile(caseFile, 'utf8')));
  await writeFile(manifestFile, tinyManifest(behaviour));
  const { say, next } = lines();
  const stop = new AbortController();
  const out = path.join(folder, 'out');
  let again = nothing;
  const watching = watchSuite({
    manifestFile,
    cases,
    out,
    watch: [],
    selection: { ...EVERYTHING, patterns },
    call: {
      patterns,
      options: ['--impl', manifestFile, '--cases', cases, '--provisional', '--no-regressions'],
      choosing: [],
      out,
      print: say,
      colours: false,
    },
    say,
    onReady: (listener) => (again = listener),
    stop: stop.signal,
  });
  const end = async (): Promise<void> => {
    stop.abort();
    await watching;
  };
  onTestFinished(end);
  return { cases, manifestFile, caseFile, next, end, again: () => again() };
}

const ROUND = /^\d\d:\d\d:\d\d {2}/;

describe('conform watch', { timeout: 120_000 }, () => {
  test('runs what was chosen, then what a saved case file touches; a mistake is shown with its place and the watch goes on', async () => {
    const { caseFile, next } = await startWatch('none');
    expect(await next(ROUND)).toMatch(/3 pass, 1 unsupported in [\d.]+ s$/);

    const right = await readFile(caseFile, 'utf8');
    await writeFile(caseFile, right.replace('body: hello, headers', 'body: other, headers'));
    expect(await next(/^changed: /)).toMatch(/simple\.yaml$/);
    expect(await next(ROUND)).toMatch(
      /1 pass, 2 fail, 1 unsupported in .*; red: simple\.route\[one\], simple\.route\[two\]$/,
    );

    await writeFile(caseFile, right.replace('cases:', 'cases: ['));
    expect(await next(/simple\.yaml:\d+:\d+ /)).toContain('simple.yaml:');
    expect(await next(ROUND)).toContain('nothing was judged: the mistake above; red: simple.route[one]');

    await writeFile(caseFile, right.replace('steps:', 'stepps:'));
    expect(await next(/stepps/)).toMatch(/simple\.yaml:\d+:\d+ .*\n.*\n.*\^ cases\[0\]/);

    // As editors do it: another file takes its place.
    await writeFile(`${caseFile}.new`, right);
    await rename(`${caseFile}.new`, caseFile);
    expect(await next(/:.* pass.* in /)).toMatch(/3 pass, 1 unsupported in [\d.]+ s$/);
  });

  test('a manifest that changes starts the implementation anew, and what was red runs first', async () => {
    const { manifestFile, next } = await startWatch('none', [], (text) =>
      text.replace('body: hello, headers', 'body: other, headers'),
    );
    expect(await next(ROUND)).toContain('1 pass, 2 fail, 1 unsupported');

    const manifest = await readFile(manifestFile, 'utf8');
    await writeFile(manifestFile, manifest.replace('kind: process', 'kind: nothing'));
    expect(await next(/implementation\.yaml:\d+/)).toContain('run.kind');
    await next(/nothing was judged/);

    await writeFile(manifestFile, manifest.replace('version: 0.0.0', 'version: 0.0.1'));
    expect(await next(/^tiny /)).toMatch(/^tiny 0\.0\.1 · 2 cases/);
    expect(await next(/^tiny /)).toMatch(/^tiny 0\.0\.1 · 2 cases/);
    expect(await next(ROUND)).toContain('1 pass, 2 fail, 1 unsupported');
  });

  test('only chosen cases run, new files and folders are seen, and other files touch nothing', async () => {
    const { cases, next, again, end } = await startWatch('none', ['simple.reload']);
    expect(await next(ROUND)).toContain('1 pass in');
    const right = await readFile(path.join(cases, 'simple.yaml'), 'utf8');
    await writeFile(path.join(cases, 'README.md'), 'no case');
    await mkdir(path.join(cases, 'more/below'), { recursive: true });
    await writeFile(path.join(cases, 'more/below/other.yaml'), right.replaceAll('simple', 'other'));
    expect(await next(/^changed: /)).toMatch(/^changed: \S*other\.yaml$/);
    expect(await next(ROUND)).toContain('no chosen case is touched');
    again();
    expect(await next(ROUND)).toContain('1 pass in');
    await end();
  });

  test('a change in the middle of a run ends it; what it had to do is done with what has changed', async () => {
    const { cases, caseFile, next } = await startWatch('hang-on-request');
    await next(ROUND);
    const right = await readFile(caseFile, 'utf8');
    await writeFile(path.join(cases, 'waiting.yaml'), waiting);
    await next(/1 cases · /);
    await writeFile(caseFile, right);
    expect(await next(ROUND)).toContain('something has changed');
    await rm(path.join(cases, 'waiting.yaml'));
    expect(await next(/:.* pass.* in /)).toContain('3 pass, 1 unsupported');
  });
});

describe('a watched folder', () => {
  test('tells of files in folders that are made, removed and made again', async () => {
    const { say, next } = lines();
    const { close } = watchFolder({ folder, deep: true, skips: (file) => file.endsWith('.log') }, say);
    onTestFinished(close);
    for (const content of ['1', '2']) {
      await mkdir(path.join(folder, 'a/b'), { recursive: true });
      await writeFile(path.join(folder, 'a/b/skipped.log'), content);
      await writeFile(path.join(folder, 'a/b/file'), content);
      expect(await next(/file|log/)).toBe(path.join(folder, 'a/b/file'));
      await rm(path.join(folder, 'a'), { recursive: true });
      await next(/a$/);
    }
  });
});

const waiting = `suite: waiting
cases:
  - id: waiting.answer
    title: A request that is not answered while the run lasts
    clauses: [{ id: TRACE-001, as: positive }]
    peers: { up: { kind: http } }
    steps: [{ id: call, within: 50s, http: { GET: /hang }, expect: { status: 200 } }]
    kills: [none]
`;
