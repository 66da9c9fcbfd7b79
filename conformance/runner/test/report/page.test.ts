import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reportPage } from '../../report/documents/html.ts';
import { reportFile } from '../../report/report-file.ts';
import { caseResult, concreteCase } from '../support/concrete-case.ts';
import { runEndOf } from '../support/run-end.ts';

/** Debian's package `chromium`; a user of the suite needs none. */
const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file));
if (CHROMIUM === undefined) console.log('not run: the page of reports in a browser (no chromium)');

const red = caseResult('b.red[one]', 'fail', {
  case: concreteCase('b.red[one]', {
    title: 'An <img src=x onerror="document.title=1"> is text',
    clauses: [
      { id: 'MERGE-001', as: 'positive' },
      { id: 'MERGE-001', as: 'negative' },
    ],
    kills: ['merge-reversed'],
  }),
  reason: 'step call: status: expected 200, got 500',
  checks: [{ at: [], what: 'step call: status', ok: false, expected: '200', actual: '500' }],
  timeline: [{ atMs: 0.5, who: 'client', what: '> GET /a' }],
  curl: ["curl -H 'Host: x' 'http://127.0.0.1:1/a'"],
  evidence: {
    exchanges: [
      {
        step: 'call',
        request: { head: 'GET /a HTTP/1.1', bytes: 0 },
        answer: { head: 'HTTP/1.1 500 Oh', body: '</script><script>document.title=2</script>', bytes: 42 },
      },
    ],
    peers: { up: [{ method: 'GET' }] },
    traces: {},
    configurations: [],
  },
});
const green = caseResult('a.green', 'pass');

describe.skipIf(CHROMIUM === undefined)('the page of a report, in a browser without a network', () => {
  let browser: Browser;
  let folder: string;
  let page: Page;
  const requests: string[] = [];
  const errors: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'conform-page-'));
    const one = reportFile(runEndOf([green, red], { exitCode: 1 }));
    const other = reportFile(runEndOf([green, { ...red, verdict: 'pass', evidence: undefined }], { seed: 8 }));
    await writeFile(path.join(folder, 'report.html'), await reportPage([one, other]));
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('request', (request) => void requests.push(request.url()));
    page.on('pageerror', (error) => void errors.push(error.message));
    await page.goto(`file://${folder}/report.html`);
  }, 60_000);

  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });

  async function shown(selector: string): Promise<string> {
    return page.locator(selector).innerText();
  }

  test('says who was judged and how it ended, and lists what did not go well first', async () => {
    expect(await shown('header')).toContain('required cases failed');
    expect(await page.locator('.row .id').allInnerTexts()).toEqual(['b.red[one]', 'a.green']);
  });

  test('is worked by the keyboard: / searches, j opens, Escape closes', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('green');
    expect(await page.locator('.row .id').allInnerTexts()).toEqual(['a.green']);
    await page.locator('.filters input').fill('');
    await page.locator('h1').click();
    await page.keyboard.press('Escape');
    await page.locator('.filters input').blur();
    await page.keyboard.press('j');
    expect(await shown('.detail h2')).toContain('b.red[one]');
    await page.keyboard.press('j');
    expect(await shown('.detail h2')).toContain('a.green');
    await page.keyboard.press('Escape');
    expect(await page.locator('.detail').count()).toBe(0);
  });

  test('shows of a red case the clause once, both sides, the exchange and the command, and runs nothing of it', async () => {
    await page.locator('.row button').first().click();
    const text = await shown('.detail');
    for (const part of ['MERGE-001', 'positive, negative', 'GET /a HTTP/1.1', 'curl -H', 'merge-reversed', '> GET /a'])
      expect(text).toContain(part);
    expect(text).toContain('</script><script>document.title=2</script>');
    expect(await page.title()).toBe('Conformance report');
    expect(await page.locator('.detail blockquote').count()).toBe(1);
  });

  test('leads from a case to its clause and its defect, and back', async () => {
    await page.locator('.detail blockquote .link').click();
    expect(await shown('.clause.open')).toContain('MERGE-001');
    await page.getByRole('button', { name: 'Defects' }).click();
    expect(await shown('main table')).toContain('merge-reversed');
    await page.locator('main table .dot').click();
    expect(await shown('.detail h2')).toContain('b.red[one]');
  });

  test('shows two implementations side by side: what differs', async () => {
    await page.getByRole('button', { name: 'Compare' }).click();
    const rows = await page.locator('main tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s+/))).toEqual([['b.red[one]', 'fail', 'pass']]);
  });

  test('needs no sideways scrolling on a narrow screen, in light and dark', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const view of ['cases', 'clauses', 'compare']) {
        await page.goto(`file://${folder}/report.html#view=${view}&open=b.red%5Bone%5D`);
        await page.reload();
        await page.locator('main section').first().waitFor();
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect(width, `${view} ${colorScheme}`).toBeLessThanOrEqual(390);
      }
    }
  });

  test('asked nobody for anything and threw nothing', () => {
    expect(requests.filter((url) => !url.startsWith('file://'))).toEqual([]);
    expect(errors).toEqual([]);
  });
});
