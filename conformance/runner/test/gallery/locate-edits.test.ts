import { describe, expect, test } from 'vitest';
import { indexSources, type Sources } from '../../gallery/declarations.ts';
import type { Edit } from '../../gallery/defects.ts';
import { locateEdits } from '../../gallery/locate-edits.ts';
import { applyAll } from '../../gallery/replacement.ts';

const MERGE = `import { level } from '../base/level.ts';

/** Merges whole values. */
export function merge(value: number): number {
  return value + level();
}

function first(): number {
  return 1;
}
`;
const BUFFER = `/** Cuts. */
export const limit = 1;

function first(): number {
  return 1;
}
`;
const LEVEL = `export function level(): number {
  return 2;
}
`;
const FILES: Readonly<Record<string, string>> = {
  'reference-impl/attachment/merge.ts': MERGE,
  'reference-impl/policies/buffer.ts': BUFFER,
  'reference-impl/base/level.ts': LEVEL,
};

function sources(files: Readonly<Record<string, string>> = FILES): Sources {
  return indexSources(new Map(Object.entries(files)));
}

/** What the hook makes of the sources. */
function applied(edits: readonly Edit[], files = FILES): Readonly<Record<string, string>> {
  const { replacements, problems: found } = locateEdits(edits, sources(files));
  expect(found).toEqual([]);
  return Object.fromEntries(
    Object.entries(files).map(([file, text]) => [
      file,
      applyAll(
        text,
        replacements.filter((one) => one.file === file),
      ),
    ]),
  );
}

function problems(edits: readonly Edit[], files = FILES): readonly string[] {
  return locateEdits(edits, sources(files)).problems;
}

describe('an edit acts', () => {
  test('in the declaration it names and nowhere else', () => {
    const changed = applied([{ in: 'level', find: 'return 2', replace: 'return 3' }]);
    expect(changed).toEqual({ ...FILES, 'reference-impl/base/level.ts': LEVEL.replace('2', '3') });
  });

  test('in the file that declares both names', () => {
    const changed = applied([{ in: 'first', beside: 'limit', find: 'return 1', replace: 'return 3' }]);
    expect(changed).toEqual({ ...FILES, 'reference-impl/policies/buffer.ts': BUFFER.replace('return 1', 'return 3') });
  });

  test('several of one file act on its text as it was', () => {
    const changed = applied([
      { in: 'merge', find: 'value + level()', replace: 'value' },
      { in: 'merge', find: 'export function merge(value: number)', replace: 'export function merge(value = 1)' },
    ]);
    expect(changed['reference-impl/attachment/merge.ts']).toContain('merge(value = 1): number {\n  return value;\n}');
  });
});

describe('after a move', () => {
  const edits: readonly Edit[] = [
    { in: 'merge', find: 'return value + level();', replace: 'return limit;', import: ['limit'] },
    { in: 'first', beside: 'limit', find: 'return 1', replace: 'return 3' },
  ];

  test('of a file the same edits make the same defect', () => {
    const { 'reference-impl/attachment/merge.ts': merge = '', ...others } = FILES;
    const moved = { ...others, 'reference-impl/credentials/keys/merged.ts': merge };
    const [before, after] = [applied(edits), applied(edits, moved)];
    expect(after['reference-impl/policies/buffer.ts']).toBe(before['reference-impl/policies/buffer.ts']);
    expect(before['reference-impl/attachment/merge.ts']).toMatch(
      /^import \{ limit \} from '\.\.\/policies\/buffer\.ts'; /,
    );
    expect(after['reference-impl/credentials/keys/merged.ts']).toBe(
      before['reference-impl/attachment/merge.ts']?.replace('../policies/', '../../policies/'),
    );
  });

  test('of a declaration to another file likewise', () => {
    const [imports = '', merging = ''] = MERGE.split(/^(?=\/\*\* Merges)/m);
    const moved = {
      ...FILES,
      'reference-impl/attachment/merge.ts': imports,
      'reference-impl/policies/buffer.ts': BUFFER + merging.replace(/\nfunction[^]*/, ''),
    };
    const after = applied(edits, moved)['reference-impl/policies/buffer.ts'];
    expect(after).toContain('return limit;');
    expect(after, 'the file declares it itself').not.toContain('import');
  });

  test('and another indentation or line length the same edits apply', () => {
    const files = { ...FILES, 'reference-impl/base/level.ts': LEVEL.replace('return 2', 'if (true)\n    return 2') };
    expect(
      applied([{ in: 'level', find: 'if (true) return 2;', replace: 'return 4;' }], files)[
        'reference-impl/base/level.ts'
      ],
    ).toContain('return 4;');
  });
});

describe('an import', () => {
  const edit: Edit = { in: 'merge', find: 'value +', replace: 'limit +' };

  test('is left out where the file has it', () => {
    const changed = applied([{ ...edit, import: ['level'] }])['reference-impl/attachment/merge.ts'];
    expect(changed?.match(/import/g)).toHaveLength(1);
  });

  test('is added once for several edits', () => {
    const again: Edit = { in: 'merge', find: 'level();', replace: 'limit;', import: ['limit'] };
    const changed = applied([{ ...edit, import: ['limit'] }, again])['reference-impl/attachment/merge.ts'];
    expect(changed?.match(/import \{ limit \}/g)).toHaveLength(1);
  });

  test('of a name that several files export comes from the file of its neighbour in the list', () => {
    const files = {
      ...FILES,
      'reference-impl/policies/twin.ts': 'export const limit = 2;\n',
      'reference-impl/policies/pair.ts': 'export const limit = 3;\nexport const pair = 4;\n',
    };
    expect(problems([{ ...edit, import: ['limit'] }], files)).toEqual(['limit cannot be imported: 3 files export it']);
    const changed = applied([{ ...edit, import: ['limit', 'pair'] }], files)['reference-impl/attachment/merge.ts'];
    expect(changed).toContain("import { limit } from '../policies/pair.ts';");
  });

  test.each([
    ['nobody', 'nothing', 'nothing cannot be imported: 0 files export it'],
    ['only a file for itself', 'first', 'first cannot be imported: 0 files export it'],
  ])('of what %s exports is refused', (_, name, message) => {
    expect(problems([{ ...edit, import: [name] }])).toEqual([message]);
  });
});

describe('what a replacement calls', () => {
  test.each([
    ['a function of the file', 'first()'],
    ['what the file imports', 'level()'],
    ['a function of its own', '((own) => own())(level)'],
    ['a global', 'structuredClone(Number(1))'],
    ['a method', 'value.toFixed().at(-1)'],
    ['nothing, in a text', "'limit()'"],
  ])('may be %s', (_, replace) => {
    expect(problems([{ in: 'merge', find: 'value + level()', replace }])).toEqual([]);
  });

  test('may be a method of what stands before it', () => {
    const files = { 'reference-impl/a.ts': "const a = 'a'\n  .trim();\n" };
    expect(problems([{ in: 'a', find: 'trim()', replace: 'toUpperCase()' }], files)).toEqual([]);
  });

  test.each(['limit()', '[...limit()]', 'other(limit())'])('must be known to the file: %s', (replace) => {
    const found = problems([{ in: 'merge', find: 'value + level()', replace }]);
    expect(found).toContain('reference-impl/attachment/merge.ts does not know limit, which the replacement calls');
  });
});

describe('an edit that does not apply says why and where its text may have gone', () => {
  test.each<[string, Edit, string]>([
    [
      'a declaration that is gone',
      { in: 'levels', find: 'return 2;', replace: '' },
      'levels is not declared any more; its text now stands in level (reference-impl/base/level.ts:2)',
    ],
    [
      'a text that moved to another declaration',
      { in: 'merge', find: 'return 2;', replace: '' },
      'the text to replace is not in merge; its text now stands in level (reference-impl/base/level.ts:2)',
    ],
    [
      'a text that is now in two declarations',
      { in: 'gone', find: 'return 1;', replace: '' },
      'gone is not declared any more; its text stands in first (reference-impl/attachment/merge.ts:9) and first (reference-impl/policies/buffer.ts:5)',
    ],
    [
      'a text that is nowhere, with the most similar line',
      { in: 'merge', find: 'return level() - value;', replace: '' },
      'the text to replace is not in merge; its text stands nowhere; the most similar line is reference-impl/attachment/merge.ts:5: return value + level();',
    ],
    [
      'a text in which a name changed',
      { in: 'merge', find: 'return value + grade();', replace: '' },
      'the text to replace is not in merge; its text now stands in merge (reference-impl/attachment/merge.ts:5), with level for grade',
    ],
    [
      'a declaration that was renamed',
      { in: 'grade', find: 'function grade(): number { return 2;', replace: '' },
      'grade is not declared any more; its text now stands in level (reference-impl/base/level.ts:1), with level for grade',
    ],
    [
      'a declaration and a text that are gone, with the nearest name',
      { in: 'mergee', find: 'nothing of the kind', replace: '' },
      'mergee is not declared any more; its text stands nowhere (did you mean in merge?)',
    ],
    [
      'a declaration that left its neighbour',
      { in: 'level', beside: 'limit', find: 'return 2;', replace: '' },
      'no file declares level beside limit any more; its text now stands in level (reference-impl/base/level.ts:2)',
    ],
    [
      'a text of several files',
      { in: 'first', find: 'return 1;', replace: '' },
      'the text to replace occurs 2 times in first: reference-impl/attachment/merge.ts:9 is beside merge, reference-impl/policies/buffer.ts:5 is beside limit',
    ],
    [
      'a text twice in one declaration',
      { in: 'merge', find: 'number', replace: '' },
      'the text to replace occurs 2 times in merge: reference-impl/attachment/merge.ts:4, reference-impl/attachment/merge.ts:4',
    ],
  ])('%s', (_, edit, message) => {
    expect(problems([edit])).toEqual([message]);
  });

  test('a text of many places', () => {
    const many = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [`reference-impl/${name}.ts`, `const ${name}x = 1;\n`]),
    );
    expect(problems([{ in: 'bxx', find: '= 1;', replace: '' }], many)).toEqual([
      'bxx is not declared any more; its text stands in 4 places (did you mean in bx?)',
    ]);
  });

  test('two edits of one text', () => {
    const edits = [
      { in: 'level', find: 'return 2;', replace: 'return 3;' },
      { in: 'level', find: '2;', replace: '4;' },
    ];
    expect(problems(edits)).toEqual(['two edits change the same text of reference-impl/base/level.ts: 2;']);
  });

  test('an edit that changes nothing', () => {
    expect(problems([{ in: 'level', find: 'return 2;', replace: 'return 2;' }])).toEqual([
      'the edit in level changes nothing',
    ]);
  });
});
