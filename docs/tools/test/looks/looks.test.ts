import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { reportPage } from '../../../../conformance/runner/report/documents/html.ts';
import { differingPixels, madeWith } from './compare-pictures.ts';
import { LAYOUT_PROBLEMS } from './layout-problems.ts';
import { freePort } from '../../../../conformance/runner/sut/ports.ts';
import { resourcesWith, startProxy } from './proxy.ts';
import { REPORTS } from './reports.ts';

// `LOOKS=write npx vitest run docs/tools/test/looks` makes the pictures that are compared with anew, and others to look at in .cache/.

/** Debian's package `chromium`. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file));
if (CHROMIUM === undefined) console.log('not run: how the pages look (no chromium)');

const KEPT = path.join(import.meta.dirname, 'kept');
const MADE_WITH = path.join(KEPT, 'made-with.json');
const SCREENS = [1280, 390].flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })));
/** Of a picture as it was kept, this share may differ. */
const MOST_DIFFERING = 0.002;

const RED = encodeURIComponent('attachment.merge.an-id-that-is-long-enough-to-be-broken[a-row-with-a-name]');

/** What a report may show, and where in the page. */
const REPORT_VIEWS: Readonly<Record<string, readonly string[]>> = {
  empty: ['view=cases', 'view=clauses', 'view=defects'],
  'one-red': ['view=cases', `view=cases&open=${RED}`, 'view=clauses&clause=MERGE-001', 'view=defects'],
  many: ['view=cases', 'view=cases&search=nothing-has-this', 'view=clauses', 'view=defects', 'view=compare'],
};

const ADMIN_VIEWS = ['view=trace', 'view=listeners', 'view=routes', 'view=policies', 'view=backends'];

/** Pictures that are kept: of what is the same on every run, without ports and times. */
const PICTURES: readonly { readonly page: string; readonly width: number; readonly scheme: 'light' | 'dark' }[] = [
  { page: `report one-red view=cases&open=${RED}`, width: 1280, scheme: 'light' },
  { page: 'report many view=compare', width: 390, scheme: 'dark' },
  { page: 'admin many view=routes', width: 390, scheme: 'light' },
];

describe.skipIf(CHROMIUM === undefined)('how the pages look', { timeout: 180_000 }, () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  const errors: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'looks-'));
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('pageerror', (error) => void errors.push(error.message));
  }, 180_000);

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
    expect(errors).toEqual([]);
  });

  /** Problems of a page as it stands, on every screen. */
  async function problemsOf(name: string): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const { width, scheme } of SCREENS) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      const found = await page.evaluate<readonly string[]>(LAYOUT_PROBLEMS);
      problems.push(...new Set(found.map((problem) => `${name}, ${width} ${scheme}: ${problem}`)));
      await comparePicture(name, width, scheme);
    }
    return problems;
  }

  /** A picture that is kept is compared where browser and fonts are those it was made with. */
  async function comparePicture(name: string, width: number, scheme: string): Promise<void> {
    const kept = PICTURES.find((one) => one.page === name && one.width === width && one.scheme === scheme);
    if (kept === undefined) return;
    const file = path.join(KEPT, `${name.replace(/[^a-z-]+/g, '-').slice(0, 30)}-${width}-${scheme}.png`);
    const picture = await page.screenshot({ animations: 'disabled', clip: { x: 0, y: 0, width, height: 640 } });
    const blank = await browser.newPage();
    try {
      const now = await madeWith(blank);
      if (process.env['LOOKS'] === 'write') {
        writeFileSync(file, picture);
        writeFileSync(MADE_WITH, `${JSON.stringify(now, undefined, 2)}\n`);
      } else if (JSON.stringify(JSON.parse(readFileSync(MADE_WITH, 'utf8'))) === JSON.stringify(now)) {
        const { differ, all } = await differingPixels(blank, readFileSync(file), picture);
        if (differ / all > MOST_DIFFERING) {
          const seen = path.join('.cache', path.basename(file));
          writeFileSync(seen, picture);
          expect.fail(`${differ} of ${all} pixels differ: look at ${seen} beside ${path.relative('.', file)}`);
        }
      } else console.log(`not compared, browser or fonts are others: ${path.basename(file)}`);
    } finally {
      await blank.close();
    }
  }

  test('what is wrong with a page is found', async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    await page.setContent(`<p style="width: 500px; white-space: nowrap">${'wide '.repeat(20)}</p>
      <p style="color: #bbb; background: white">pale</p><p style="font-size: 9px">tiny</p>
      <p style="position: absolute; top: 300px">under</p><p style="position: absolute; top: 300px">above</p>
      <p style="width: 30px; overflow-wrap: anywhere">broken</p>
      <button style="width: 20px; height: 20px; padding: 0; position: absolute; top: 400px"></button>`);
    const found = (await page.evaluate<readonly string[]>(LAYOUT_PROBLEMS)).join('\n');
    for (const like of [
      /px wide on a screen/,
      /text reaches/,
      /pale": contrast 1\.\d/,
      /letters of 9 px/,
      /lies over p "above"/,
      /broken inside/,
      /20 x 20 to hit/,
      /has no name/,
    ])
      expect(found).toMatch(like);
  });

  test.each(Object.keys(REPORTS))('the report page: %s', async (name) => {
    const file = path.join(folder, `${name}.html`);
    writeFileSync(file, await reportPage(REPORTS[name] ?? []));
    const problems: string[] = [];
    for (const view of REPORT_VIEWS[name] ?? []) {
      await page.goto(`file://${file}#${view}`);
      // Another part after the # alone loads nothing.
      await page.reload();
      await page.locator('main section').first().waitFor();
      problems.push(...(await problemsOf(`report ${name} ${view}`)));
    }
    expect(problems).toEqual([]);
  });

  test.each([
    { name: 'empty', routes: 0 },
    { name: 'denied', routes: 1 },
    { name: 'many', routes: 150 },
  ])('the page at /ui: $name', async ({ name, routes }) => {
    const config = mkdtempSync(path.join(folder, 'config-'));
    const resources = routes === 0 ? [] : resourcesWith(await freePort(), routes);
    for (const [index, resource] of resources.entries())
      writeFileSync(path.join(config, `${String(index).padStart(4, '0')}.json`), JSON.stringify(resource));
    const proxy = await startProxy(config);
    onTestFinished(proxy.stop);
    const problems: string[] = [];
    for (const view of ADMIN_VIEWS) {
      await page.goto(`${proxy.admin}/ui#${view}`);
      await page.reload();
      await page.locator('main p:visible, main li:visible, main button:visible').first().waitFor();
      if (view === 'view=trace' && routes > 0) {
        await page.fill('[name=target]', '/a');
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        await page.getByText('The trace is complete.').waitFor();
      }
      if (process.env['LOOKS'] === 'write')
        await page.screenshot({ path: `.cache/admin-${name}-${view.slice(5)}.png` });
      problems.push(...(await problemsOf(`admin ${name} ${view}`)));
    }
    expect(problems).toEqual([]);
  });
});
