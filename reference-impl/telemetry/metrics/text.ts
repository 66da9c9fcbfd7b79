import type { Cell, Label, Series } from './series.ts';

/** The content type of what `metricText` gives. */
export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** One metric in the Prometheus text format: help, type, and a line per series, or per bucket of one. */
export function metricText({ row: { name, type, text, buckets }, all }: Series): string {
  const lines = [...all()].flatMap((cell) =>
    buckets === undefined ? [sample(name, cell.labels.pairs(), cell.sum)] : histogramLines(name, buckets, cell),
  );
  return `# HELP ${name} ${text}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function histogramLines(name: string, buckets: readonly number[], { labels, counts, sum }: Cell): string[] {
  const pairs = labels.pairs();
  let total = 0;
  const totals = counts.map((count) => (total += count));
  const bounds = [...buckets.map(String), '+Inf'];
  return [
    ...bounds.map((bound, place) => sample(`${name}_bucket`, [...pairs, ['le', bound]], totals[place] ?? 0)),
    sample(`${name}_sum`, pairs, sum),
    sample(`${name}_count`, pairs, total),
  ];
}

function sample(name: string, labels: readonly Label[], value: number): string {
  const pairs = labels.map(([label, held]) => `${label}="${escape(held)}"`).join(',');
  return pairs === '' ? `${name} ${value}\n` : `${name}{${pairs}} ${value}\n`;
}

function escape(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (character) => ESCAPES[character] ?? character);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
