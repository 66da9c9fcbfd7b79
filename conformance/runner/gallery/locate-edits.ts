import path from 'node:path';
import type { Sources } from './declarations.ts';
import type { Edit } from './defects.ts';
import { explainEdit } from './explain-edit.ts';
import { hitsOf } from './hits.ts';
import type { Replacement } from './replacement.ts';
import { unknownCalls } from './unknown-calls.ts';

/** Where edits act, and why some do not apply. */
export interface Located {
  /** The last place of a file first: none moves the place of the next. */
  readonly replacements: readonly Replacement[];
  readonly problems: readonly string[];
}

/** The places of all edits of a defect. */
export function locateEdits(edits: readonly Edit[], sources: Sources): Located {
  const located = edits.map((edit) => locateEdit(edit, sources));
  const unordered = located.flatMap(({ replacements }) => replacements);
  const replacements = withoutTwins(unordered).toSorted((one, other) => other.at - one.at);
  const problems = [...located.flatMap((one) => one.problems), ...overlaps(replacements)];
  return { replacements, problems: problems.length > 0 ? problems : unknownCalls(replacements, sources) };
}

function locateEdit(edit: Edit, sources: Sources): Located {
  const [hit, ...others] = hitsOf(edit, sources);
  if (hit === undefined || others.length > 0) return refuse(explainEdit(edit, sources));
  if (edit.find === edit.replace) return refuse(`the edit in ${edit.in} changes nothing`);
  const { file } = hit.declaration;
  const text = (sources.texts.get(file) ?? '').slice(hit.start, hit.end);
  const imports = (edit.import ?? []).map((name) => addImport(name, edit, file, sources));
  return {
    replacements: [{ file, at: hit.start, text, replace: edit.replace }, ...imports.flatMap((one) => one.replacements)],
    problems: imports.flatMap(({ problems }) => problems),
  };
}

/** Nothing to add where the file declares or imports the name already. */
function addImport(name: string, edit: Edit, file: string, sources: Sources): Located {
  const exporting = exportersOf(name, edit.import ?? [], sources);
  const [from] = exporting;
  if (from === undefined || exporting.length > 1) {
    return refuse(`${name} cannot be imported: ${exporting.length} files export it`);
  }
  if (from === file || importedNames(sources.texts.get(file) ?? '').has(name)) return NOTHING;
  const relative = path.posix.relative(path.posix.dirname(file), from);
  const specifier = relative.startsWith('.') ? relative : `./${relative}`;
  return {
    replacements: [{ file, at: 0, text: '', replace: `import { ${name} } from '${specifier}'; ` }],
    problems: [],
  };
}

/** Of several files those that export another name of the list too. */
function exportersOf(name: string, names: readonly string[], { declared, byFile }: Sources): readonly string[] {
  const exports = declared.get(name)?.filter(({ exported }) => exported) ?? [];
  const files = [...new Set(exports.map(({ file }) => file))];
  const shared = files.filter((file) =>
    byFile.get(file)?.some((one) => one.exported && one.name !== name && names.includes(one.name)),
  );
  return files.length > 1 && shared.length > 0 ? shared : files;
}

function importedNames(text: string): ReadonlySet<string> {
  const lists = [...text.matchAll(/^import \{([^}]*)\} from /gm)].map(([, list]) => list ?? '');
  const names = lists
    .join(',')
    .split(',')
    .map((one) => one.trim().split(' as ').at(-1) ?? '');
  return new Set(names);
}

/** Two edits of one defect may need the same import. */
function withoutTwins(replacements: readonly Replacement[]): readonly Replacement[] {
  return [...new Map(replacements.map((one) => [`${one.file}:${one.at}:${one.replace}`, one])).values()];
}

function overlaps(lastFirst: readonly Replacement[]): readonly string[] {
  return lastFirst.flatMap((one, index) => {
    const before = lastFirst.slice(index + 1).find(({ file }) => file === one.file);
    if (before === undefined || before.at + before.text.length <= one.at) return [];
    return [`two edits change the same text of ${one.file}: ${one.text}`];
  });
}

const NOTHING: Located = { replacements: [], problems: [] };

function refuse(problem: string): Located {
  return { replacements: [], problems: [problem] };
}
