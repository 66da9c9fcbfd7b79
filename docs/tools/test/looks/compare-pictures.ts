import type { Page } from 'playwright-core';

/** Pixels that may differ without anybody seeing it: edges of letters that are drawn a shade darker. */
const SHADE = 48;

/** How many pixels of two pictures differ visibly, of how many; pictures of different sizes differ everywhere. A browser reads them. */
export async function differingPixels(
  page: Page,
  one: Buffer,
  other: Buffer,
): Promise<{ differ: number; all: number }> {
  return page.evaluate<{ differ: number; all: number }>(`(async () => {
    const [a, b] = await Promise.all([${JSON.stringify(one.toString('base64'))}, ${JSON.stringify(other.toString('base64'))}].map(async (text) => {
      const bitmap = await createImageBitmap(await (await fetch('data:image/png;base64,' + text)).blob());
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const paint = canvas.getContext('2d');
      paint.drawImage(bitmap, 0, 0);
      return paint.getImageData(0, 0, bitmap.width, bitmap.height);
    }));
    const all = a.data.length / 4;
    if (a.width !== b.width || a.height !== b.height) return { differ: all, all };
    let differ = 0;
    for (let at = 0; at < a.data.length; at += 4)
      if ([0, 1, 2].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) > ${SHADE})) differ += 1;
    return { differ, all };
  })()`);
}

/** What a picture depends on beside the page: the browser, and the fonts it found, seen by the room that a text takes. */
export async function madeWith(page: Page): Promise<Readonly<Record<string, string>>> {
  const widths = await page.evaluate<string>(`['system-ui', 'ui-monospace', 'sans-serif'].map((family) => {
    const paint = new OffscreenCanvas(1, 1).getContext('2d');
    paint.font = '100px ' + family;
    return paint.measureText('The quick brown fox, 0123456789').width.toFixed(1);
  }).join(' ')`);
  return { browser: page.context().browser()?.version() ?? '', widths };
}
