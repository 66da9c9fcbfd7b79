import { expect, test } from 'vitest';
import { parsePrometheusText } from '../../steps/prometheus-text.ts';

test('samples have their metric, labels and value', () => {
  const { samples, types, malformed } = parsePrometheusText(
    [
      '# HELP requests_total How many.',
      '# TYPE requests_total counter',
      'requests_total{path="/a\\"b\\\\c\\nd",code="200",} 3 1700000000000',
      '# TYPE took_seconds histogram',
      'took_seconds_bucket{le="+Inf"} 2',
      'took_seconds_sum 1.5e-3',
      'up{} 1',
      'far +Inf',
      '',
    ].join('\n'),
  );
  expect(types).toEqual({ requests_total: 'counter', took_seconds: 'histogram' });
  expect(malformed).toEqual([]);
  expect(samples).toEqual([
    { family: 'requests_total', name: 'requests_total', labels: { path: '/a"b\\c\nd', code: '200' }, value: 3 },
    { family: 'took_seconds', name: 'took_seconds_bucket', labels: { le: '+Inf' }, value: 2 },
    { family: 'took_seconds', name: 'took_seconds_sum', labels: {}, value: 0.0015 },
    { family: 'up', name: 'up', labels: {}, value: 1 },
    { family: 'far', name: 'far', labels: {}, value: Infinity },
  ]);
});

test.each(['1abc 2', 'a{b=c} 1', 'a{b="c"', 'a{b="c",b="d"} 1', 'a', 'a x', '{"json": true}'])(
  'is no sample: %s',
  (line) => {
    expect(parsePrometheusText(line).malformed).toEqual([line]);
  },
);

test('a line that was there before is the same sample, unless its metric has another type now', () => {
  const before = parsePrometheusText('# TYPE took histogram\ntook_sum 1\ntook_count 2\nup 1\n');
  const same = parsePrometheusText('# TYPE took histogram\ntook_sum 1\ntook_count 3\nup 1\n', before);
  expect(same.samples[0]).toBe(before.samples[0]);
  expect(same.samples[1]).toEqual({ family: 'took', name: 'took_count', labels: {}, value: 3 });
  expect(same.samples[2]).toBe(before.samples[2]);
  const untyped = parsePrometheusText('took_sum 1\n', before);
  expect(untyped.samples).toEqual([{ family: 'took_sum', name: 'took_sum', labels: {}, value: 1 }]);
});
