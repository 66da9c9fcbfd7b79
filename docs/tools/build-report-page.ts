// Builds the page of report.html into one file. `--check` fails when the file is not what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { PAGE_FILE } from '../../conformance/runner/report/documents/html.ts';
import { bundlePage } from './bundle-page.ts';

const ROOT = 'conformance/report-page';
const HEAD = '<!-- Built by `npm run generate` from conformance/report-page; do not edit. -->';
/** The page may do nothing but run its own script: no request leaves it. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'" />`;

const text = await pageText();
if (process.argv.includes('--check')) {
  const isFresh = read(PAGE_FILE) === text;
  console.log(isFresh ? 'report page: fresh' : `${PAGE_FILE} is not fresh: run npm run generate`);
  process.exit(isFresh ? 0 : 1);
}
writeFileSync(PAGE_FILE, text);
console.log(`wrote ${PAGE_FILE}`);

async function pageText(): Promise<string> {
  const { code, style } = await bundlePage(ROOT);
  const page = readFileSync(`${ROOT}/index.html`, 'utf8');
  return page
    .replace('<!doctype html>', `<!doctype html>\n${HEAD}`)
    .replace('</head>', () => `  ${POLICY}\n    <style>${style}</style>\n  </head>`)
    .replace(/<script type="module" .*<\/script>/, () => `<script type="module">${code}</script>`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
