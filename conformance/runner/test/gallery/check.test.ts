import { describe, expect, test } from 'vitest';
import type { ConcreteCase } from '../../case/concrete-case.ts';
import { checkGallery, type GalleryContext } from '../../gallery/check.ts';
import { indexSources, type Sources } from '../../gallery/declarations.ts';
import type { Defect } from '../../gallery/defects.ts';
import { concreteCase } from '../support/concrete-case.ts';

function sources(text: string): Sources {
  return indexSources(new Map([['reference-impl/attachment/merge.ts', text]]));
}

const defect: Defect = {
  id: 'merge-deep',
  clauses: ['MERGE-009'],
  text: 'Fields are merged member by member.',
  edits: [{ in: 'merge', find: 'whole', replace: 'deep' }],
  place: 'gallery/merge.yaml:1',
};

function killer(more: Partial<ConcreteCase> = {}): ConcreteCase {
  return concreteCase('merge.one', { file: 'cases/merge.yaml', kills: ['merge-deep'], ...more });
}

function problems(more: Partial<GalleryContext> = {}): readonly string[] {
  return checkGallery({
    defects: [defect],
    cases: [killer()],
    clauses: new Set(['MERGE-009']),
    sources: sources("const merge = 'each value whole';"),
    ...more,
  });
}

describe('the static check of the gallery', () => {
  test('a sound gallery has no problem', () => {
    expect(problems()).toEqual([]);
  });

  test('an edit that does not apply is found, by the place of its defect', () => {
    expect(problems({ sources: sources("const merge = 'each value';") })).toEqual([
      'gallery/merge.yaml:1: merge-deep: the text to replace is not in merge; its text stands nowhere',
    ]);
  });

  test('an edit that changes nothing is found', () => {
    const idle = { ...defect, edits: [{ in: 'merge', find: 'whole', replace: 'whole' }] };
    expect(problems({ defects: [idle] })).toEqual([expect.stringContaining('changes nothing')]);
  });

  test('an unknown clause is found', () => {
    expect(problems({ clauses: new Set() })).toEqual([expect.stringContaining('cites unknown clause MERGE-009')]);
  });

  test('a defect given twice is found', () => {
    const again = { ...defect, place: 'gallery/merge.yaml:9' };
    expect(problems({ defects: [defect, again] })).toEqual([
      'gallery/merge.yaml:9: merge-deep is already at gallery/merge.yaml:1',
    ]);
  });

  test('a case that lists an unknown defect is found once, however many rows it has', () => {
    const rows = ['a', 'b'].map((row) => killer({ id: `merge.one[${row}]`, kills: ['merge-deep', 'merge-dep'] }));
    expect(problems({ cases: rows })).toEqual(['cases/merge.yaml: merge.one lists unknown defect merge-dep']);
  });

  test.each([
    ['no case', []],
    ['an observing case', [killer({ level: 'observe' })]],
    ['a case of random draws', [killer({ layer: 'property' })]],
  ])('a defect that only %s lists is found', (_, cases) => {
    expect(problems({ cases })).toEqual(['gallery/merge.yaml:1: no must-level case lists merge-deep under kills']);
  });
});
