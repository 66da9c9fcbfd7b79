// Every row of docs/security names a case or a test that is there: what shows a defence is not lost when files or cases get other names.
import { globSync, readFileSync } from 'node:fs';
import { loadSuite } from '../../conformance/runner/load-suite.ts';
import { globExpression } from '../../conformance/runner/values/glob.ts';

const PAGES = 'docs/security/*.md';
/** Heads of the column that names them; other tables of the pages are measurements. */
const COLUMN = /^(?:case or test|shown by)$/i;

const tests = globSync('reference-impl/test/**/*.test.ts');
const { cases } = await loadSuite({});
const ids = new Set(cases.flatMap(({ id, baseId, suite }) => [id, baseId, suite]));

const rows = globSync(PAGES).flatMap((page) => rowsOf(page));
const problems = rows.flatMap(({ place, shownBy }) => {
  const named = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  if (named.length === 0) return [`${place}: names no case and no test`];
  return named.filter((name) => !isThere(name)).map((name) => `${place}: nothing is called ${name}`);
});
for (const problem of problems) console.error(problem);
console.log(`security: ${rows.length} rows, ${problems.length} problems`);
process.exitCode = rows.length > 0 && problems.length === 0 ? 0 : 1;

function isThere(name: string): boolean {
  if (name.endsWith('.test.ts')) return tests.some((file) => `/${file}`.endsWith(`/${name}`));
  const form = globExpression(name);
  return [...ids].some((id) => form.test(id));
}

function rowsOf(page: string): readonly { readonly place: string; readonly shownBy: string }[] {
  const lines = readFileSync(page, 'utf8')
    .split('\n')
    .map((line, index) => ({ place: `${page}:${index + 1}`, cells: cellsOf(line) }));
  return lines.flatMap(({ place, cells }, index) => {
    const last = cells.at(-1);
    const begin = lines.slice(0, index).findLastIndex((line) => line.cells.length === 0);
    const head = lines[begin + 1]?.cells.at(-1) ?? '';
    if (last === undefined || !COLUMN.test(head) || index <= begin + 2) return [];
    return [{ place, shownBy: last }];
  });
}

/** Of a line of a table; none where it is not one. */
function cellsOf(line: string): readonly string[] {
  if (!line.startsWith('|')) return [];
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
