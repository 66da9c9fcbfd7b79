import { expect, it } from 'vitest';
import { logsRequest } from '../../telemetry/otlp/encode.ts';

it.each([
  ['the largest signed integer', 2n ** 63n - 1n, { case: 'intValue', value: 2n ** 63n - 1n }],
  ['the smallest', -(2n ** 63n), { case: 'intValue', value: -(2n ** 63n) }],
  ['one more, which only an unsigned one holds', 2n ** 63n, { case: 'stringValue', value: '9223372036854775808' }],
  ['the largest unsigned one', 2n ** 64n - 1n, { case: 'stringValue', value: '18446744073709551615' }],
])('tells %s as it is', (_, value, encoded) => {
  const entry = { at: 0, attributes: [['n', value]] as const, traceId: '', spanId: '' };
  const [record] = logsRequest([entry], []).resourceLogs[0]?.scopeLogs[0]?.logRecords ?? [];
  expect(record?.attributes[0]?.value?.value).toEqual(encoded);
});
