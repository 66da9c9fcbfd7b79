import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { declarationsOf, type Declaration } from '../../gallery/declarations.ts';
import { referenceSources } from '../support/whole-gallery.ts';

describe('the declarations of the reference', () => {
  test('read line by line are those of the syntax tree, in every file', async () => {
    const { texts, byFile } = await referenceSources();
    expect(texts.size).toBeGreaterThan(300);
    for (const [file, text] of texts) {
      expect(byFile.get(file)?.map(shown) ?? [], file).toEqual(parsed(file, text).map(shown));
    }
  });

  test('tests are no part of it', async () => {
    const { texts } = await referenceSources();
    expect([...texts.keys()].filter((file) => file.includes('/test/'))).toEqual([]);
  });
});

describe('the lines of a declaration', () => {
  test.each([
    ['a function', 'export async function* one() {\n  return 1;\n}\n'],
    ['a parameter list over several lines', 'function one(\n  two: number,\n): void {\n  two;\n}\n\none(2);\n'],
    ['closing type arguments', 'const one: Map<\n  string,\n  string\n> = new Map();\n'],
    ['a text over several lines', 'const one = `\n  a\n`;\nconst two = 2;\n'],
    ['a destructuring', 'const { one, two } = three;\n'],
    ['a class with a comment above it', '/** What it is. */\nexport abstract class One {\n  two = 2;\n}\n// end\n'],
    [
      'a type beside a constant',
      'export const one = 1;\nexport type one = 1;\n\nexport interface Two {}\nenum Three {}\n',
    ],
    ['statements that declare nothing', "import a from 'a';\nexport { a };\nif (a) {\n  await a();\n}\nlet one = 1;\n"],
  ])('%s', (_, text) => {
    expect(declarationsOf('a.ts', text).map(shown)).toEqual(parsed('a.ts', text).map(shown));
  });
});

function parsed(file: string, text: string): readonly Declaration[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return statements.flatMap((statement) =>
    namesOf(statement).map((name) => ({
      name,
      file,
      exported: ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some(isExport),
      start: statement.getStart(),
      end: statement.end,
    })),
  );
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => bound(name));
  if (!isNamed(statement) || statement.name === undefined) return [];
  return [statement.name.text];
}

function isNamed(statement: ts.Statement) {
  return (
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement)
  );
}

function bound(name: ts.BindingName): readonly string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : bound(element.name)));
}

function isExport({ kind }: ts.ModifierLike): boolean {
  return kind === ts.SyntaxKind.ExportKeyword;
}

function shown({ name, exported, start, end }: Declaration): string {
  return `${exported ? 'export ' : ''}${name} ${start}-${end}`;
}
