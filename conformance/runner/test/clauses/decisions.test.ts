import path from 'node:path';
import { expect, test } from 'vitest';
import { decisionProblems, decisionsAbout, parseDecision, type Decision } from '../../clauses/decisions.ts';
import { loadRegister } from '../../clauses/register.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

const PAGE = `---
about: 'a page: of a test'
date: 2026-11-22
clauses: [MERGE-005]
open: [U-019]
code: []
---

# Title

MERGE-005 and U-019.
`;

const parsed = (source: string): Decision => {
  const decision = parseDecision('page.md', source);
  if (typeof decision === 'string') throw new Error(decision);
  return decision;
};

test('a page is read with its front matter', () => {
  expect(parsed(PAGE)).toEqual({
    name: 'page',
    title: 'Title',
    about: 'a page: of a test',
    date: '2026-11-22',
    clauses: ['MERGE-005'],
    open: ['U-019'],
    code: [],
    text: '\n# Title\n\nMERGE-005 and U-019.\n',
  });
});

test.each([
  ['no front matter', '# Title\n', 'docs/decisions/page.md: no front matter'],
  ['no title', PAGE.replace('# Title', 'Title'), 'docs/decisions/page.md: no title'],
  ['no date', PAGE.replace('2026-11-22', 'today'), 'docs/decisions/page.md: date: Invalid ISO date'],
  [
    'a list that is no YAML',
    PAGE.replace('[U-019]', '[, U-019]'),
    'docs/decisions/page.md:5: UNEXPECTED_TOKEN: no YAML',
  ],
  ['an unknown member', PAGE.replace('code:', 'sources:'), 'docs/decisions/page.md: code: '],
])('a page with %s is refused by name', (_, source, problem) => {
  expect(parseDecision('page.md', source)).toContain(problem);
});

test('ids of the text and of the front matter are the same, and stand in the register', async () => {
  const register = await loadRegister(path.join(root, 'docs/spec'));
  expect(decisionProblems([parsed(PAGE)], register)).toEqual([]);
  const other = PAGE.replace('MERGE-005 and', 'MERGE-006 and').replace('[U-019]', '[U-019, U-999]');
  expect(decisionProblems([parsed(other)], register)).toEqual([
    'docs/decisions/page.md: lists unknown open point U-999',
    'docs/decisions/page.md: names MERGE-006 and does not list it',
    'docs/decisions/page.md: lists MERGE-005 and does not name it',
    'docs/decisions/page.md: lists U-999 and does not name it',
  ]);
});

test('a page is found by its clauses and by its open points', () => {
  const page = parsed(PAGE);
  expect(decisionsAbout([page], ['MERGE-005'])).toEqual([page]);
  expect(decisionsAbout([page], ['U-019'])).toEqual([page]);
  expect(decisionsAbout([page], ['MERGE-006'])).toEqual([]);
});
