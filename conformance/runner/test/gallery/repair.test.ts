import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { indexSources } from '../../gallery/declarations.ts';
import { repairFile, repairGallery } from '../../gallery/repair.ts';

const sources = indexSources(
  new Map([
    [
      'reference-impl/a.ts',
      'export function merge(): void {\n  one();\n  shared();\n}\n\nfunction part(): void {\n  two();\n}\n',
    ],
    ['reference-impl/b.ts', 'export const far = 1;\n\nfunction part(): void {\n  two();\n  three();\n}\n'],
    ['reference-impl/c.ts', 'export const away = () => shared();\n'],
  ]),
);

/** A file of the gallery with one edit, in a layout that the YAML library would not keep. */
function gallery(edit: string): string {
  return `# Defects.
- id: one
  clauses: [ MERGE-009 ]   # twice
  text:   "Why."
  edits:
    # what
    - ${edit}
      replace: ''   # gone
`;
}

describe('a repair', () => {
  test.each([
    ['names the declaration that has the text now', 'in: gone\n      find: one();', 'in: merge\n      find: one();'],
    ['finds a text that moved out of a function', 'in: far\n      find: three();', 'in: part\n      find: three();'],
    [
      'prefers the file that declares the old name',
      'in: far\n      find: two();',
      'in: part\n      beside: far\n      find: two();',
    ],
    [
      'leaves out a neighbour that is needed no more',
      'in: merge\n      beside: far\n      find: one();',
      'in: merge\n      find: one();',
    ],
    [
      'writes another neighbour, wherever it stood',
      'find: two();\n      in: far\n      beside: away',
      'find: two();\n      in: part\n      beside: far',
    ],
  ])('%s', (_, before, after) => {
    const { text, notes } = repairFile('g.yaml', gallery(before), sources);
    expect(text).toBe(gallery(after));
    expect(notes).toHaveLength(1);
    expect(repairFile('g.yaml', text, sources), 'the second time nothing is left').toEqual({ text, notes: [] });
  });

  test('says where it rewrote what', () => {
    const { notes } = repairFile('g.yaml', gallery('in: far\n      find: two();'), sources);
    expect(notes).toEqual(['g.yaml:7: far is now part beside far']);
  });

  test('keeps a mapping on one line', () => {
    const text =
      '- id: one\n  edits: [{ in: far, find: two();, replace: x }, { in: gone, beside: far, find: one();, replace: x }]\n';
    expect(repairFile('g.yaml', text, sources).text).toBe(
      '- id: one\n  edits: [{ in: part, beside: far, find: two();, replace: x }, { in: merge, find: one();, replace: x }]\n',
    );
  });

  test.each([
    ['applies', 'in: merge\n      find: one();'],
    ['has its text nowhere', 'in: merge\n      find: nowhere();'],
    ['has its text in several places', 'in: gone\n      find: two();'],
    ['is ambiguous', 'in: part\n      find: two();'],
    ['cannot be read', 'file: reference-impl/a.ts\n      find: one();'],
  ])('leaves alone an edit that %s', (_, edit) => {
    expect(repairFile('g.yaml', gallery(edit), sources)).toEqual({ text: gallery(edit), notes: [] });
  });

  test('of a folder writes the files that change', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'conform-repair-'));
    try {
      const file = path.join(folder, 'a.yaml');
      await writeFile(file, gallery('in: gone\n      find: one();'));
      await writeFile(path.join(folder, 'b.yaml'), '- [');
      expect(await repairGallery(folder, 'g', sources)).toEqual(['g/a.yaml:7: gone is now merge']);
      expect(await readFile(file, 'utf8')).toBe(gallery('in: merge\n      find: one();'));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
