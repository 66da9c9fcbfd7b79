// The pages of docs/decisions: their table of contents, and the sources that cite each.
import { globSync, readFileSync } from 'node:fs';
import { readDecisions, type Decision } from '../../conformance/runner/clauses/decisions.ts';

const FOLDER = 'docs/decisions';
/** Other texts than the register and these pages are not part of the project: who reads a comment cannot look them up. */
const FOREIGN = /\bchoices(?:-[a-z-]+)? (?:\d|sheet)/;
const CITATION = /docs\/decisions\/([a-z0-9-]+)\.md/g;

/** Texts by file, as they should be: the README with its table, and each page with its `code`. Throws for a page nobody cites. */
export async function decisionPages(): Promise<Readonly<Record<string, string>>> {
  const { decisions, problems } = await readDecisions(FOLDER);
  const citing = citingSources();
  const lost = [...citing.keys()].filter((name) => !decisions.some((one) => one.name === name));
  const all = [
    ...problems,
    ...lost.map((name) => `${citing.get(name)?.join(', ')}: there is no ${FOLDER}/${name}.md`),
    ...foreignCitations(),
    ...decisions.filter(({ name }) => !citing.has(name)).map(({ name }) => `${FOLDER}/${name}.md: no source cites it`),
  ];
  if (all.length > 0) throw new Error(all.join('\n'));
  const pages = decisions.map((one) => [`${FOLDER}/${one.name}.md`, pageOf(one, citing.get(one.name) ?? [])] as const);
  return { [`${FOLDER}/README.md`]: contents(decisions), ...Object.fromEntries(pages) };
}

function foreignCitations(): readonly string[] {
  return sources()
    .filter((file) => FOREIGN.test(readFileSync(file, 'utf8')))
    .map((file) => `${file}: cites a text that is not part of the project; cite a clause or a page of ${FOLDER}`);
}

function sources(): readonly string[] {
  return globSync(['reference-impl/**/*.ts', 'mocks/**/*.ts']).toSorted();
}

/** Sources that cite a page, by its name. Tests say what a decision comes to, sources where it is taken. */
function citingSources(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of sources()) {
    if (file.includes('/test/')) continue;
    const names = new Set([...readFileSync(file, 'utf8').matchAll(CITATION)].map(([, name = '']) => name));
    for (const name of names) found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

function pageOf({ about, date, clauses, open, text }: Decision, code: readonly string[]): string {
  const said = about.includes(': ') ? `'${about.replaceAll("'", "''")}'` : about;
  const citing = code.map((file) => `\n  - ${file}`).join('');
  return `---\nabout: ${said}\ndate: ${date}\nclauses: [${clauses.join(', ')}]\nopen: [${open.join(', ')}]\ncode:${citing}\n---\n${text}`;
}

function contents(decisions: readonly Decision[]): string {
  const readme = readFileSync(`${FOLDER}/README.md`, 'utf8');
  const rows = decisions.map(({ name, about, open }) => `| [${name}](${name}.md) | ${about} | ${open.join(' ')} |`);
  const table = ['| page | about | open points |', '| --- | --- | --- |', ...rows].join('\n');
  return `${readme.slice(0, readme.indexOf('| page'))}${table}\n`;
}
