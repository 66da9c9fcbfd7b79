import { render } from 'preact';
import type { PageData } from '../runner/report/documents/page-data.ts';
import { App } from './app.tsx';
import './style.css';

const app = document.querySelector('#app');
if (app !== null) {
  try {
    const data = await readData();
    app.replaceChildren();
    render(<App data={data} />, app);
  } catch (error) {
    app.textContent = `This report cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The content of the page: JSON, compressed, as base64, so that nothing in it can be taken for markup. */
async function readData(): Promise<PageData> {
  const text = document.querySelector('#report-data')?.textContent?.trim() ?? '';
  const bytes = Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const data: unknown = JSON.parse(await new Response(plain).text());
  if (!isPageData(data)) throw new Error('it holds no data');
  return data;
}

/** What stands in the page is what the runner wrote there, or nothing. */
function isPageData(value: unknown): value is PageData {
  return typeof value === 'object' && value !== null && 'reports' in value && Array.isArray(value.reports);
}
