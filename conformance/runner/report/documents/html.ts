import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { loadRegister } from '../../clauses/register.ts';
import { packageRoot } from '../../values/package-root.ts';
import type { ReportFile } from '../report-schema.ts';
import type { ReportDocument } from './document.ts';
import type { PageData } from './page-data.ts';
import { withoutCredentials } from '../without-credentials.ts';

/** The page without content, relative to the package; `npm run generate` builds it from conformance/report-page/. */
export const PAGE_FILE = 'conformance/report-page/built.html';

/** `report.html`: one file that works without a network. */
export const htmlDocument: ReportDocument = {
  name: 'html',
  file: 'report.html',
  text: 'report.html, one file that works without a network',
  render: async (report) => reportPage([report]),
};

const compress = promisify(gzip);
const PLACE = '<script type="text/plain" id="report-data"></script>';

/** The page that shows one report or several side by side. Case files that are not there are left out. */
export async function reportPage(reports: readonly ReportFile[]): Promise<string> {
  const page = await readFile(path.join(packageRoot(), PAGE_FILE), 'utf8');
  // Compressed and as base64: smaller, and nothing of it is markup, whatever an implementation answered.
  const content = (await compress(withoutCredentials(JSON.stringify(await pageData(reports))))).toString('base64');
  const [before, after] = page.split(PLACE);
  if (before === undefined || after === undefined) throw new Error(`${PAGE_FILE}: no place for the content`);
  return `${before}<script type="text/plain" id="report-data">${content}</script>${after}`;
}

async function pageData(reports: readonly ReportFile[]): Promise<PageData> {
  const root = packageRoot();
  const register = await loadRegister(path.join(root, 'docs/spec'));
  const files = [...new Set(reports.flatMap(({ cases }) => cases.map(({ file }) => file)))];
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(path.resolve(root, file), 'utf8').catch(() => undefined)] as const),
  );
  return {
    reports,
    areas: register.areas.map(({ area, title }) => ({ area, title })),
    clauses: Object.fromEntries(
      [...register.clauses.values()].map(({ id, level, statement, source }) => [
        id,
        { level, statement, source: `${source.document} line ${source.line}` },
      ]),
    ),
    sources: Object.fromEntries(texts.flatMap(([file, text]) => (text === undefined ? [] : [[file, text]]))),
  };
}
