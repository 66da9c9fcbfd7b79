import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { expect, test } from 'vitest';
import { runPage } from '../support/run-readme.ts';

const PROGRAMS = ['/usr/bin/curl', '/usr/bin/openssl'];
const missing = PROGRAMS.filter((program) => !existsSync(program));
if (missing.length > 0) console.log(`examples are not run: this machine has no ${missing.join(', ')}`);

const EXAMPLES = ['quick-start', 'llm-gateway', 'mcp-gateway', 'mutual-tls', 'rate-limits'];
const GUIDES = ['merging', 'phases', 'client-authentication', 'limits', 'failover', 'guards', 'traces', 'telemetry'];
const PAGES = [
  ...EXAMPLES.map((name) => ({ page: `examples/${name}/README.md`, folder: `examples/${name}` })),
  ...GUIDES.map((name) => ({ page: `docs/guide/${name}.md`, folder: 'examples/guides' })),
];

test.skipIf(missing.length > 0).each(PAGES)(
  '$page: its commands print what it shows',
  { timeout: 120_000 },
  async ({ page, folder }) => {
    const shown = await runPage({ page, folder });
    expect(shown.length).toBeGreaterThan(0);
    for (const { command, expected, printed } of shown)
      expect(`$ ${command}\n${printed}`).toBe(`$ ${command}\n${expected}`);
  },
);

test.each(GUIDES)('docs/guide/%s.md shows what its configuration says', (name) => {
  const page = readFileSync(`docs/guide/${name}.md`, 'utf8');
  const excerpts = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = '']) => parse(text) as unknown);
  expect(excerpts.length).toBeGreaterThan(0);
  const whole = parseAllDocuments(readFileSync(`examples/guides/${name}.yaml`, 'utf8')).map(
    (one) => one.toJS() as unknown,
  );
  expect(excerpts.filter((excerpt) => !isPartOf(excerpt, whole))).toEqual([]);
});

test('each configuration of a guide belongs to one', () => {
  const names = readdirSync('examples/guides').map((file) => path.basename(file, '.yaml'));
  expect(names.filter((name) => !GUIDES.some((guide) => name === guide || name.startsWith(`${guide}-`)))).toEqual([]);
});

/** Whether the members of an excerpt stand together somewhere, beside others perhaps; of a list its entries. */
function isPartOf(excerpt: unknown, whole: unknown): boolean {
  if (typeof whole !== 'object' || whole === null) return false;
  if (Array.isArray(excerpt)) {
    if (Array.isArray(whole) && excerpt.every((item) => whole.some((one) => isDeepStrictEqual(item, one)))) return true;
  } else if (typeof excerpt === 'object' && excerpt !== null) {
    const members = new Map(Object.entries(whole));
    if (Object.entries(excerpt).every(([key, value]) => isDeepStrictEqual(members.get(key), value))) return true;
  }
  return Object.values(whole).some((below) => isPartOf(excerpt, below));
}
