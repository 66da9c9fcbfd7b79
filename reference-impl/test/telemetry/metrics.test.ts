import { expect, test } from 'vitest';
import { compileAdded } from '../../telemetry/attributes.ts';
import { addedLabels } from '../../telemetry/metrics/count-request.ts';
import { createMetrics } from '../../telemetry/metrics/metrics.ts';
import { createSeries, LabelSet } from '../../telemetry/metrics/series.ts';
import { METRICS } from '../../telemetry/names/metrics.ts';

test('a histogram counts what is at a bound below it, and buckets add up', () => {
  const metrics = createMetrics('1.2.3');
  const labels = new LabelSet(METRICS.calls.labels, ['Primary', 'http', '200', 'a/b', 'l', 'r', 'rule'], []);
  for (const seconds of [0.001, 0.002, 100]) metrics.of.calls.at(labels).add(seconds);
  const text = metrics.text();
  expect(text).toContain('# TYPE proxy_upstream_call_duration_seconds histogram\n');
  const series = 'kind="Primary",subtype="http",status="200",gateway="a/b",listener="l",route="r",route_rule="rule"';
  expect(text).toContain(`proxy_upstream_call_duration_seconds_bucket{${series},le="0.001"} 1\n`);
  expect(text).toContain(`proxy_upstream_call_duration_seconds_bucket{${series},le="80"} 2\n`);
  expect(text).toContain(`proxy_upstream_call_duration_seconds_bucket{${series},le="+Inf"} 3\n`);
  expect(text).toContain(`proxy_upstream_call_duration_seconds_count{${series}} 3\n`);
});

test('a label that is added takes the place of one of its name, and values are escaped', () => {
  const metrics = createMetrics('1.2.3');
  metrics.of.retries.at(new LabelSet(METRICS.retries.labels, ['g', 'l', 'r', 'x'], [['route', 'a"\n\\b']])).add(1);
  expect(metrics.text()).toContain(
    'proxy_retries_total{gateway="g",listener="l",route_rule="x",route="a\\"\\n\\\\b"} 1\n',
  );
});

test('beyond ten thousand sets of labels everything is unknown, and counted as dropped', () => {
  let dropped = 0;
  const series = createSeries(METRICS.retries, () => (dropped += 1));
  for (let at = 0; at < 10_002; at += 1) series.at(new LabelSet(METRICS.retries.labels, [String(at)], [])).add(1);
  expect(dropped).toBe(2);
  expect([...series.all()]).toHaveLength(10_001);
  const last = [...series.all()].at(-1);
  expect(last?.sum).toBe(2);
  expect(last?.labels.pairs().every(([, value]) => value === 'unknown')).toBe(true);
});

test('labels that are kept are told of each request beyond the bound', () => {
  let dropped = 0;
  const series = createSeries(METRICS.retries, () => (dropped += 1));
  const labels = Array.from({ length: 10_001 }, (_, at) => new LabelSet(METRICS.retries.labels, [String(at)], []));
  for (let turn = 0; turn < 2; turn += 1) for (const set of labels) series.at(set).add(1);
  expect(dropped).toBe(2);
  expect([...series.all()].map(({ sum }) => sum)).toEqual(Array.from({ length: 10_001 }, () => 2));
});

test('what is dropped is counted by output', () => {
  const metrics = createMetrics('1.2.3');
  metrics.drop('logs', 3);
  expect(metrics.text()).toContain('proxy_telemetry_dropped_total{output="logs"} 3\n');
});

test('a label has one name and one value, whatever names are added, and none is taken for a bound', () => {
  const named = ['team.id', 'team-id', 'le'].map((name) => ({ name, expression: `'${name}'` }));
  expect(addedLabels(compileAdded(named), () => undefined)).toEqual([
    ['team_id', 'team-id'],
    ['_le', 'le'],
  ]);
});
