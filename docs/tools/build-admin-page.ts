// Builds the page of the admin listener into the three files it serves. `--check` fails when they are not what it would write.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundlePage } from './bundle-page.ts';

const ROOT = 'reference-impl/admin/ui';
const BUILT = path.join(ROOT, 'built');
const ORIGIN = 'Built by `npm run generate` from reference-impl/admin/ui; do not edit.';

const { code, style } = await bundlePage(ROOT);
const files: Readonly<Record<string, string>> = {
  'index.html': pageText(),
  'ui.js': `// ${ORIGIN}\n${code}\n`,
  'ui.css': `/* ${ORIGIN} */\n${style}\n`,
};
if (process.argv.includes('--check')) {
  const stale = Object.entries(files).filter(([name, text]) => read(path.join(BUILT, name)) !== text);
  for (const [name] of stale) console.log(`${path.join(BUILT, name)} is not fresh: run npm run generate`);
  console.log(`admin page: ${stale.length === 0 ? 'fresh' : 'stale'}`);
  process.exit(stale.length === 0 ? 0 : 1);
}
mkdirSync(BUILT, { recursive: true });
for (const [name, text] of Object.entries(files)) writeFileSync(path.join(BUILT, name), text);
console.log(`wrote ${BUILT}`);

/** The page with its script and its style as files beside it: its policy allows neither inside. */
function pageText(): string {
  return readFileSync(path.join(ROOT, 'index.html'), 'utf8')
    .replace('<!doctype html>', `<!doctype html>\n<!-- ${ORIGIN} -->`)
    .replace('</head>', '  <link rel="stylesheet" href="/ui/ui.css" />\n  </head>')
    .replace(/<script type="module" .*<\/script>/, '<script type="module" src="/ui/ui.js"></script>');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
