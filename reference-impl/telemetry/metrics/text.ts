import type { Cell, Series } from './series.ts';

/** The content type of what `metricText` gives. */
export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** One metric in the Prometheus text format: help, type, and a line per series, or per bucket of one. */
export function metricText({ row: { name, type, text, buckets }, all }: Series): string {
  let lines = `# HELP ${name} ${text}\n# TYPE ${name} ${type}\n`;
  for (const cell of all())
    lines += buckets === undefined ? sample(name, cell.labels.text(), cell.sum) : histogramLines(name, buckets, cell);
  return lines;
}

function histogramLines(name: string, buckets: readonly number[], { labels, counts, sum }: Cell): string {
  const own = labels.text();
  const before = own === '' ? '' : `${own},`;
  let lines = '';
  let total = 0;
  for (const [place, count] of counts.entries()) {
    total += count;
    lines += sample(`${name}_bucket`, `${before}le="${buckets[place] ?? '+Inf'}"`, total);
  }
  return `${lines}${sample(`${name}_sum`, own, sum)}${sample(`${name}_count`, own, total)}`;
}

function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`;
}
