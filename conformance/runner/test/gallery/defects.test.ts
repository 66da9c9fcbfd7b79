import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDefects, selectDefects } from '../../gallery/defects.ts';
import { packageRoot } from '../../values/package-root.ts';
import { wholeGallery } from '../support/whole-gallery.ts';

const GOOD = `- id: merge-deep
  clauses: [MERGE-009]
  text: Fields are merged member by member.
  edits:
    - { in: merge, find: a, replace: b }
`;

describe('the files of the gallery', () => {
  test('an entry is read with its place', () => {
    const { defects, problems } = parseDefects('g/merge.yaml', GOOD);
    expect(problems).toEqual([]);
    expect(defects).toMatchObject([{ id: 'merge-deep', clauses: ['MERGE-009'], place: 'g/merge.yaml:1' }]);
  });

  test.each([
    ['a misspelt key', GOOD.replace('text:', 'txt:'), /merge\.yaml:\d+:\d+ 0: Unrecognized key: "txt"/],
    ['a bad clause', GOOD.replace('MERGE-009', 'merge 9'), /:2:13 0\.clauses\.0: expected a clause/],
    ['a path for a declaration', GOOD.replace('in: merge', 'in: a/merge.ts'), /0\.edits\.0\.in: expected the name/],
    ['a file', GOOD.replace('in: merge', 'in: merge, file: merge.ts'), /0\.edits\.0: Unrecognized key: "file"/],
    [
      'an import by path',
      GOOD.replace('replace: b', "replace: await import('../b.ts')"),
      /edits\.0\.replace: names a file/,
    ],
    ['a blank text', GOOD.replace('find: a', "find: ' '"), /0\.edits\.0\.find: expected some code/],
    ['no edits', GOOD.replace(/ {2}edits:[^]*/, '  edits: []\n'), /0\.edits/],
    ['a mapping instead of a list', 'id: merge-deep\n', /expected a list of defects/],
    ['no YAML at all', '- [', /g\/merge\.yaml/],
  ])('%s is refused by place and path', (_, text, message) => {
    const { defects, problems } = parseDefects('g/merge.yaml', text);
    expect(defects).toEqual([]);
    expect(problems.join('\n')).toMatch(message);
  });

  test('a broken entry does not hide the others', () => {
    const { defects, problems } = parseDefects('g/merge.yaml', `${GOOD}- id: broken\n${GOOD.replace('deep', 'other')}`);
    expect(defects.map(({ id }) => id)).toEqual(['merge-deep', 'merge-other']);
    expect(problems.every((problem) => problem.startsWith('g/merge.yaml:6:'))).toBe(true);
  });

  test('the published gallery can be read', async () => {
    const { defects, problems } = await wholeGallery();
    expect(problems).toEqual([]);
    expect(defects.length).toBeGreaterThanOrEqual(40);
    const [first] = defects;
    const [file, line] = first?.place.split(':') ?? [];
    const text = readFileSync(path.join(packageRoot(), file ?? ''), 'utf8').split('\n');
    expect(text[Number(line) - 1]).toBe(`- id: ${first?.id}`);
  });
});

describe('the choice of defects', () => {
  const { defects } = parseDefects('g.yaml', GOOD + GOOD.replace('merge-deep', 'authz-ignored'));

  test('all without a pattern, otherwise ids and globs', () => {
    expect(selectDefects(defects, []).selected).toHaveLength(2);
    expect(selectDefects(defects, ['merge-*']).selected.map(({ id }) => id)).toEqual(['merge-deep']);
  });

  test('a pattern that matches nothing comes back with a guess', () => {
    expect(selectDefects(defects, ['merge-dep']).unmatched).toEqual(['merge-dep (did you mean merge-deep?)']);
  });
});
