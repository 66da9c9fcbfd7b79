import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { METRICS } from '../../telemetry/names/metrics.ts';

const FOLDER = 'examples/observability';

/** Names that a query may have: of a histogram those of its series. */
const NAMES: ReadonlySet<string> = new Set(
  Object.values(METRICS).flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);

test('every metric of the dashboard is one of the table', () => {
  const text = readFileSync(`${FOLDER}/dashboard.json`, 'utf8');
  expect(() => {
    JSON.parse(text);
  }).not.toThrow();
  const named = [...text.matchAll(/\b(?:proxy|gen_ai)_[a-z_]+(?=\{|\[)/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !NAMES.has(name))).toEqual([]);
});

test('every metric of the table is in the dashboard', () => {
  const text = readFileSync(`${FOLDER}/dashboard.json`, 'utf8');
  expect(
    Object.values(METRICS).filter(({ name }) => !new RegExp(`\\b${name}(_bucket|_sum|_count)?[{[]`).test(text)),
  ).toEqual([]);
});

test('the configuration of the collector sends every signal on', () => {
  const configuration: unknown = parse(readFileSync(`${FOLDER}/collector.yaml`, 'utf8'));
  const to = { receivers: [expect.any(String)], processors: ['batch'], exporters: ['debug'] };
  expect(configuration).toMatchObject({ service: { pipelines: { logs: to, traces: to, metrics: to } } });
});
