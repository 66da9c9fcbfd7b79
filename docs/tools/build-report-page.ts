// Builds the page of report.html into one file. `--check` fails when the file is not what it would write.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'vite';
import { PAGE_FILE } from '../../conformance/runner/report/documents/html.ts';

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
  const built = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    build: { write: false, target: 'es2024', modulePreload: false },
  });
  const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  const code = outputs.flatMap((one) => (one.type === 'chunk' ? [one.code] : [])).join('');
  const style = outputs.flatMap((one) =>
    one.fileName.endsWith('.css') && 'source' in one ? [String(one.source)] : [],
  );
  if (code === '' || style.length === 0 || code.includes('</script'))
    throw new Error(`${ROOT}: did not build as one script`);
  const page = readFileSync(`${ROOT}/index.html`, 'utf8');
  return page
    .replace('<!doctype html>', `<!doctype html>\n${HEAD}`)
    .replace('</head>', () => `  ${POLICY}\n    <style>${style.join('').trim()}</style>\n  </head>`)
    .replace(/<script type="module" .*<\/script>/, () => `<script type="module">${code.trim()}</script>`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
