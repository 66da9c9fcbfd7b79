import { expect, test } from 'vitest';
import type { Attribute } from '../../telemetry/attributes.ts';
import { logLine } from '../../telemetry/log-line.ts';

const ATTRIBUTES: readonly Attribute[] = [
  ['http.path', '/a?b=c'],
  ['http.status', 200],
  ['forged', 'x\n2026 info request a=b'],
  ['spaced', 'a b'],
  ['map', { a: [1, true] }],
];

test('a text line has a field per attribute, and no value can pretend to be one', () => {
  expect(logLine('text', 0, ATTRIBUTES)).toBe(
    '1970-01-01T00:00:00.000Z\tinfo\trequest http.path="/a?b=c" http.status=200 forged="x\\n2026 info request a=b" spaced="a b" map={"a":[1,true]}\n',
  );
});

test('a JSON line is an object', () => {
  const line = logLine('json', 0, ATTRIBUTES);
  expect(line.endsWith('}\n')).toBe(true);
  expect(JSON.parse(line)).toMatchObject({ level: 'info', scope: 'request', 'http.status': 200, spaced: 'a b' });
});
