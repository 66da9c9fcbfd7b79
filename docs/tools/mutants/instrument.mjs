// Makes one bundle of the reference that holds every mutant of the named files behind Stryker's switches. It is JavaScript: the packages are
// needed for nothing else, and a tree without them still type-checks.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** What is no mistake whatever it does: why, and how it is told. A text with a space is read by people; no document says how it reads. */
const LEFT_OUT = [
  ['a text that people read', ({ mutator, original }) => mutator === 'StringLiteral' && /\s/.test(original)],
  [
    'the clause that a refusal names, which people read',
    ({ mutator, original }) => mutator === 'StringLiteral' && /^'[A-Z]+-\d{3}'$/.test(original),
  ],
  [
    'what makes a text that people read',
    ({ mutator, original }) =>
      mutator === 'ArrowFunction' && /=>\s*\(?\s*(`[^`]*\s[^`]*`|'[^']*\s[^']*')\s*\)?$/.test(original),
  ],
];

/**
 * @param {{ root: string, files: readonly string[], out?: string }} request files relative to the root; without `out` there is no bundle
 * @returns {Promise<{ main: string, mutants: readonly Mutant[], leftOut: readonly { why: string, mutants: readonly Mutant[] }[] }>} the file to
 * start, what its switches are, and which of them are not asked for
 *
 * @typedef {object} Mutant
 * @property {string} id the switch
 * @property {string} file relative to the root
 * @property {string} mutator as Stryker calls it
 * @property {number} line the first line of what is replaced
 * @property {number} lastLine the last of them
 * @property {string} within the declaration it stands in
 * @property {string} original
 * @property {string} replacement
 */
export async function instrument({ root, files, out }) {
  const { Instrumenter } = await import('@stryker-mutator/instrumenter');
  const texts = new Map(files.map((file) => [path.join(root, file), readFileSync(path.join(root, file), 'utf8')]));
  const instrumenter = new Instrumenter(SILENT);
  const { files: instrumented, mutants } = await instrumenter.instrument(
    [...texts].map(([name, content]) => ({ name, content, mutate: true })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  const contents = new Map(instrumented.map(({ name, content }) => [name, content]));
  if (out !== undefined) await writeBundle(contents, { root, out });
  const all = mutants.map((one) => asMutant(one, texts, root));
  const leftOut = LEFT_OUT.map(([why, is]) => ({ why, mutants: all.filter(is) }));
  const without = new Set(leftOut.flatMap((one) => one.mutants));
  return { main: path.join(out ?? '', 'main.js'), mutants: all.filter((one) => !without.has(one)), leftOut };
}

const START = '\0start';

async function writeBundle(contents, { root, out }) {
  const { rolldown } = await import('rolldown');
  const entry = path.join(root, 'reference-impl/main.ts');
  rmSync(out, { recursive: true, force: true });
  const built = await rolldown({
    cwd: root,
    input: { main: START },
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'instrumented',
        resolveId: (id) => (id === START ? id : undefined),
        load: (id) => {
          if (id === START)
            return `import ${JSON.stringify(path.join(import.meta.dirname, 'control.mjs'))};\nimport ${JSON.stringify(entry)};`;
          const code = contents.get(id);
          return code === undefined ? undefined : { code, moduleType: 'ts' };
        },
        transform: keepPlace,
      },
    ],
  });
  await built.write({ dir: out, format: 'esm' });
  await built.close();
}

const nothing = () => {};
const SILENT = {
  isDebugEnabled: () => false,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};

/** Whoever asks where it lies (to find its data files, or its worker) hears where its source does. */
function keepPlace(code, id) {
  if (id.startsWith('\0') || !code.includes('import.meta.')) return undefined;
  const told = { url: pathToFileURL(id).href, filename: id, dirname: path.dirname(id) };
  return code.replaceAll(/\bimport\.meta\.(url|filename|dirname)\b/g, (_, what) => JSON.stringify(told[what]));
}

function asMutant({ id, fileName, mutatorName, location: { start, end }, replacement }, texts, root) {
  const lines = (texts.get(fileName) ?? '').split('\n');
  const part = lines.slice(start.line, end.line + 1);
  const last = part.length - 1;
  const original = part
    .map((line, index) => line.slice(index === 0 ? start.column : 0, index === last ? end.column : undefined))
    .join('\n');
  return {
    id,
    file: path.relative(root, fileName),
    mutator: mutatorName,
    line: start.line + 1,
    lastLine: end.line + 1,
    within: declarationAt(lines, start.line),
    original,
    replacement,
  };
}

const DECLARATION = /^(?:export )?(?:async )?(?:function|const|class|let) (\w+)/;

/** The last declaration that begins at the margin. */
function declarationAt(lines, line) {
  return lines.slice(0, line + 1).reduce((found, text) => DECLARATION.exec(text)?.[1] ?? found, '');
}
