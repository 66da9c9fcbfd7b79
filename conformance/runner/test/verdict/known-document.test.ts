import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../values/package-root.ts';
import { extendKnown } from '../../verdict/known-document.ts';
import { parseKnownFailures } from '../../verdict/known-failures.ts';
import type { MissingEntry } from '../../verdict/known-plan.ts';

const missing: readonly MissingEntry[] = [
  { case: 'a.b[x]', verdict: 'fail', count: 1, said: 'status: expected 200,\n got "#1: 500"\u001b[31m' },
  { case: '*.c[*]', verdict: 'inconclusive', count: 3, said: '' },
];
const ADDED = `# fail: status: expected 200, got "#1: 500" [31m
- case: a.b[x]
  reason: TODO say why
  owner: TODO
# 3 cases, inconclusive
- case: '*.c[*]'
  verdict: inconclusive
  reason: TODO say why
  owner: TODO
`;

function casesOf(text: string): readonly string[] {
  const read = parseKnownFailures('known.yaml', text, 'draft');
  return 'entries' in read ? read.entries.map((entry) => entry.case) : [...read.problems];
}

describe('a list of known failures that is extended', () => {
  test('begins with what it is for', () => {
    const text = extendKnown('', missing, 'us');
    expect(text).toMatch(/^# Cases that are known not to pass.*\n# fail: /);
    expect(text).toContain('owner: us\n');
    expect(casesOf(text)).toEqual(['a.b[x]', '*.c[*]']);
  });

  test('cannot be used before its reasons are written', () => {
    const read = parseKnownFailures('known.yaml', extendKnown('', missing));
    expect('problems' in read && read.problems).toHaveLength(4);
    const filled = extendKnown('', missing).replaceAll(/TODO.*/g, 'written');
    expect(parseKnownFailures('known.yaml', filled)).toHaveProperty('entries.length', 2);
  });

  test.each([
    [
      'entries and comments',
      '- { case: x,  reason: "r",owner: o } # why\n\n# on y\n- case: y\n  reason: >-\n    one\n    two\n  owner: o\n',
    ],
    ['a comment at the end', '- { case: x, reason: r, owner: o }\n# to do: more\n'],
    ['comments only', '# nothing is known\n\n# really\n'],
    ['the mark of a document', '---\n- { case: x, reason: r, owner: o }\n'],
    ['nginx', readFileSync(path.join(packageRoot(), 'examples/nginx/known-failures.yaml'), 'utf8')],
    ['envoy', readFileSync(path.join(packageRoot(), 'examples/envoy/known-failures.yaml'), 'utf8')],
    ['portkey', readFileSync(path.join(packageRoot(), 'examples/portkey/known-failures.yaml'), 'utf8')],
    ['haproxy', readFileSync(path.join(packageRoot(), 'examples/haproxy/known-failures.yaml'), 'utf8')],
  ])('keeps %s byte for byte', (_, text) => {
    expect(extendKnown(text, missing)).toBe(`${text}${ADDED}`);
    expect(extendKnown(text, [])).toBe(text);
  });

  test('goes on in its own indentation', () => {
    const text = '  - { case: x, reason: r, owner: o }';
    expect(extendKnown(text, missing)).toBe(`${text}\n${ADDED.replaceAll(/^(?=.)/gm, '  ')}`);
  });

  test.each([
    ['in brackets', '[{ case: x, reason: r, owner: o }] # short\n', ['x']],
    ['in empty brackets', '[]\n', []],
    ['whose end is marked', '- { case: x, reason: r, owner: o }\n...\n', ['x']],
  ])('and stands %s keeps its entries', (_, text, before) => {
    expect(casesOf(extendKnown(text, missing))).toEqual([...before, 'a.b[x]', '*.c[*]']);
  });

  test('says no more than a line of a long failure', () => {
    const [comment = ''] = extendKnown('# c\n', [{ case: 'a', verdict: 'fail', count: 1, said: 'x'.repeat(1000) }])
      .split('\n')
      .slice(1);
    expect(comment).toBe(`# fail: ${'x'.repeat(200)}…`);
  });
});
