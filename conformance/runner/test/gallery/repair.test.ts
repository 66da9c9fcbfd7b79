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

/** The text `shared();` stands in two declarations. */
const twice = indexSources(
  new Map([...sources.texts, ['reference-impl/d.ts', 'function more(): void {\n  away();\n  shared();\n}\n']]),
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
    expect(repairFile('g.yaml', text, sources), 'the second time nothing is left').toMatchObject({ text, notes: [] });
  });

  test('renames what is called otherwise now, in whatever style the text is written', () => {
    const text = `- id: one
  edits:
    - in: merged
      import: [part, part]
      find: "function merged(): void {\\n  once();\\n  shared();"
      replace: |-
        // merged \\merged
        merged(once('\\nonce'), at.once, twice);
`;
    const repaired = repairFile('g.yaml', text, sources);
    expect(repaired.text).toBe(text.replaceAll(/(?<!\\)\bmerged\b/g, 'merge').replaceAll('once', 'one'));
    expect(repaired.notes).toEqual(['g.yaml:3: merged is now merge, with merge for merged and one for once']);
    expect(repairFile('g.yaml', repaired.text, sources).notes).toEqual([]);
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
    expect(repairFile('g.yaml', gallery(edit), sources)).toMatchObject({ text: gallery(edit), notes: [] });
  });

  test('learns from one edit how what another one names is called', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'conform-repair-'));
    try {
      await writeFile(path.join(folder, 'a.yaml'), gallery('in: united\n      find: one();'));
      const calling = gallery('in: united\n      find: shared();').replace("replace: ''", 'replace: united(shared)');
      await writeFile(path.join(folder, 'b.yaml'), calling);
      const notes = ['g/a.yaml:7: united is now merge', 'g/b.yaml:7: united is now merge, with merge for united'];
      expect(await repairGallery(folder, 'g', twice)).toEqual(notes);
      expect(await readFile(path.join(folder, 'b.yaml'), 'utf8')).toBe(calling.replaceAll('united', 'merge'));
      expect(await repairGallery(folder, 'g', twice)).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
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
