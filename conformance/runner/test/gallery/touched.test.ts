import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, afterEach, expect, test } from 'vitest';
import { readSources } from '../../gallery/declarations.ts';
import { readGallery } from '../../gallery/defects.ts';
import { rewrittenSince, touchedSince } from '../../gallery/touched.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'touched-'));
  write('reference-impl/merge/order.ts', "export const ORDER = ['gateway', 'route'];\n");
  write('reference-impl/merge/merge.ts', 'export const merge = (): number => 1;\n');
  write('reference-impl/serve/serve.ts', 'export const serve = (): number => 2;\n');
  write('conformance/gallery/all.yaml', gallery({}));
  write('conformance/cases/all.yaml', cases({}));
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=n', '-c', 'user.email=n@example.test', 'commit', '--quiet', '--message', 'first');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function git(...rest: readonly string[]): void {
  execFileSync('git', ['-C', root, ...rest]);
}

function write(file: string, text: string): void {
  mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
}

function gallery({ text = 'A route is not asked.' }: { readonly text?: string }): string {
  return `- id: order-wrong
  clauses: [MERGE-011]
  text: ${text}
  edits: [{ in: ORDER, find: "'route'", replace: "'gateway'" }]
- id: serve-wrong
  clauses: [FRONT-001]
  text: Nothing is served.
  edits: [{ in: serve, find: '2', replace: '3' }]
`;
}

function cases({ status = 200, needs = 'core.http' }: { readonly status?: number; readonly needs?: string }): string {
  return `suite: s
defaults: { needs: [${needs}] }
cases:
  - id: s.order
    steps: [{ expect: { status: 200 } }]
  - id: s.serve
    steps: [{ expect: { status: ${status} } }]
`;
}

async function touched(commit = 'HEAD'): Promise<readonly string[]> {
  const { defects } = await readGallery(path.join(root, 'conformance/gallery'), 'conformance/gallery');
  const concrete = [
    { id: 's.order[a-row]@wire', kills: ['order-wrong'] },
    { id: 's.serve', kills: ['serve-wrong'] },
  ];
  return touchedSince(commit, defects, { root, cases: concrete, sources: await readSources(root) }).map(({ id }) => id);
}

test('nothing is touched where nothing changed, nor by a file of another kind', async () => {
  write('docs/page.md', 'A page.\n');
  expect(await touched()).toEqual([]);
});

test('a defect is touched by a change beside what it edits, which may have made it harmless, and by a new file there', async () => {
  write('reference-impl/merge/merge.ts', 'export const merge = (): number => 4;\n');
  expect(await touched()).toEqual(['order-wrong']);
  git('checkout', '--quiet', '.');
  write('reference-impl/serve/another.ts', 'export const another = 1;\n');
  expect(await touched()).toEqual(['serve-wrong']);
});

test('a defect is touched when it is written anew, and the others of its file are not', async () => {
  write('conformance/gallery/all.yaml', gallery({ text: 'Routes are not asked.' }));
  expect(await touched()).toEqual(['order-wrong']);
});

test('a defect is touched by a change of a case that lists it, and by one of what its file says of all', async () => {
  write('conformance/cases/all.yaml', cases({ status: 204 }));
  expect(await touched()).toEqual(['serve-wrong']);
  write('conformance/cases/all.yaml', cases({ needs: 'core.listeners' }));
  expect(await touched()).toEqual(['order-wrong', 'serve-wrong']);
});

test('a case is touched with all its rows when it is written anew, and its neighbour is not', () => {
  const all = [{ id: 's.order' }, { id: 's.serve[one]' }, { id: 's.serve[other]@wire' }];
  expect(rewrittenSince('HEAD', all, root)).toEqual([]);
  write('conformance/cases/all.yaml', cases({ status: 204 }));
  expect(rewrittenSince('HEAD', all, root)).toEqual(all.slice(1));
});

test('what was committed since counts as what is not', async () => {
  write('reference-impl/serve/serve.ts', 'export const serve = (): number => 2; // still\n');
  git('-c', 'user.name=n', '-c', 'user.email=n@example.test', 'commit', '--quiet', '--all', '--message', 'second');
  expect(await touched()).toEqual([]);
  expect(await touched('HEAD~1')).toEqual(['serve-wrong']);
});

test('a commit that is not there is said', async () => {
  await expect(touched('0123456789abcdef0123456789abcdef01234567')).rejects.toThrow(
    'git knows no commit 0123456789abcdef0123456789abcdef01234567 here',
  );
});
