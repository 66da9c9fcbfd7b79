import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A top-level declaration of a source file, without its doc comment. */
export interface Declaration {
  readonly name: string;
  /** Relative to the package, with `/`. */
  readonly file: string;
  readonly exported: boolean;
  /** Offsets into the text of the file, in UTF-16 units; `end` is behind the last character. */
  readonly start: number;
  readonly end: number;
}

/** The sources of the reference as the gallery sees them. */
export interface Sources {
  /** The text of each file. */
  readonly texts: ReadonlyMap<string, string>;
  /** By name; a name may be declared in several files, and twice in one (a type beside a constant). */
  readonly declared: ReadonlyMap<string, readonly Declaration[]>;
  readonly byFile: ReadonlyMap<string, readonly Declaration[]>;
}

/** Reads every source file under a folder of the package, tests aside. */
export async function readSources(root: string, folder = 'reference-impl'): Promise<Sources> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  const files = names
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')))
    .filter((file) => file.endsWith('.ts') && !file.split('/').includes('test'))
    .toSorted();
  const texts = await Promise.all(files.map(async (file) => readFile(path.join(root, file), 'utf8')));
  return indexSources(new Map(files.map((file, index) => [file, texts[index] ?? ''])));
}

/** The declarations of files that are given with their texts. */
export function indexSources(texts: ReadonlyMap<string, string>): Sources {
  const declarations = [...texts].flatMap(([file, text]) => declarationsOf(file, text));
  return {
    texts,
    declared: Map.groupBy(declarations, ({ name }) => name),
    byFile: Map.groupBy(declarations, ({ file }) => file),
  };
}

const STARTS =
  /^(?<exported>export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (?:(?<name>[\w$]+)|\{ (?<names>[\w$, ]+) \} =)/;

/** Blank, indented, or the closing bracket of what began above: such a line belongs to the statement it follows. */
const CONTINUES = /^(?:$|[\s)}\]>`])/;

/**
 * Read line by line, without a parser: the formatter puts the first line of every top-level statement, and of nothing else
 * but what closes it, into the first column. A test holds this against the syntax tree of every file of the reference.
 */
export function declarationsOf(file: string, text: string): readonly Declaration[] {
  const found: Declaration[] = [];
  let open: readonly Omit<Declaration, 'end'>[] = [];
  let end = 0;
  let start = 0;
  const close = (): void => {
    found.push(...open.map((one) => ({ ...one, end })));
    open = [];
  };
  for (const line of text.split('\n')) {
    if (!CONTINUES.test(line)) {
      close();
      const { exported, name, names } = STARTS.exec(line)?.groups ?? {};
      const declares = name === undefined ? (names?.split(', ') ?? []) : [name];
      open = declares.map((one) => ({ name: one, file, exported: exported !== undefined, start }));
    }
    if (line !== '') end = start + line.length;
    start += line.length + 1;
  }
  close();
  return found;
}
