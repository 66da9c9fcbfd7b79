import { createRequire } from 'node:module';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { TEXT_TABLES } from '../../../../backends/ai/guards/text-tables.ts';

/* The official clients say what a request and a reply may hold: a text that no row covers has to be decided about. */

const require = createRequire(import.meta.url);

const ROOTS = [
  [
    'completions',
    'openai/resources/chat/completions/completions',
    ['ChatCompletionCreateParamsBase', 'ChatCompletion', 'ChatCompletionChunk'],
  ],
  [
    'messages',
    '@anthropic-ai/sdk/resources/messages/messages',
    ['MessageCreateParamsBase', 'Message', 'RawMessageStreamEvent'],
  ],
  [
    'messages',
    '@anthropic-ai/sdk/resources/beta/messages/messages',
    ['MessageCreateParamsBase', 'BetaMessage', 'BetaRawMessageStreamEvent'],
  ],
  [
    'responses',
    'openai/resources/responses/responses',
    ['ResponseCreateParamsBase', 'Response', 'ResponseStreamEvent'],
  ],
] as const;

// One program for all: its types, and those of the language, are read once.
const program = ts.createProgram(
  ROOTS.map(([, file]) => typesOf(file)),
  { strict: true, skipLibCheck: true, types: [] },
);
const checker = program.getTypeChecker();

test.each(ROOTS)(
  'every member of %s that may be any string has a row (%s)',
  (format, file, roots) => {
    const rows = Object.keys(TEXT_TABLES[format]?.members ?? {});
    const found = stringMembers(typesOf(file), roots);
    expect(found.size).toBeGreaterThan(20);
    expect([...found].filter((name) => !rows.includes(name)).toSorted()).toEqual([]);
  },
  120_000,
);

function typesOf(file: string): string {
  return require.resolve(file).replace(/\.js$/, '.d.ts');
}

/** Names of the members, at any depth of the types, whose value may be any string, or a list or map of such. */
function stringMembers(file: string, roots: readonly string[]): ReadonlySet<string> {
  const source = program.getSourceFile(file);
  const symbol = source && checker.getSymbolAtLocation(source);
  const exported = symbol === undefined ? [] : checker.getExportsOfModule(symbol);
  const names = new Set<string>();
  const seen = new Set<ts.Type>();
  const visit = (type: ts.Type, name: string): void => {
    if ((type.flags & ts.TypeFlags.String) !== 0) names.add(name);
    if (seen.has(type)) return;
    if (type.isUnionOrIntersection()) for (const one of type.types) visit(one, name);
    if ((type.flags & ts.TypeFlags.Object) === 0) return;
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    const value = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    for (const inner of [element, value]) if (inner !== undefined) visit(inner, name);
    if (element !== undefined) return;
    seen.add(type);
    for (const property of checker.getPropertiesOfType(type)) visit(checker.getTypeOfSymbol(property), property.name);
  };
  for (const root of roots) {
    const declared = exported.find(({ name }) => name === root);
    expect(declared, root).toBeDefined();
    if (declared !== undefined) visit(checker.getDeclaredTypeOfSymbol(declared), root);
  }
  return names;
}
