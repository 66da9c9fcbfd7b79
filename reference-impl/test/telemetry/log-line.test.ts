import { expect, test } from 'vitest';
import type { Attribute } from '../../telemetry/attributes.ts';
import { RequestRecord } from '../../exchange/request-record.ts';
import { Entry } from '../../telemetry/entry.ts';
import { LOG_FORMATS } from '../../telemetry/log-formats.ts';
import { defaultLine, logLine } from '../../telemetry/log-line.ts';
import { logFields } from '../../telemetry/names/log-keys.ts';
import { answerOf, exchangeOf, type Given } from '../policies/support/exchange.ts';

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

const GIVEN: readonly Given[] = [
  {},
  { method: 'POST', target: '/api/a"b\\c?token=secret&x=1', authority: 'h.test' },
  { facts: { jwt: { sub: 'Ann \u00e9\u2028\n' } } },
  {
    facts: { llm: () => ({ provider: 'one', inputTokens: 3, params: { temperature: 0.5, encoding_format: 'float' } }) },
  },
  { facts: { mcp: () => ({ methodName: 'tools/call', tool: { target: 'alpha', name: 'echo' } }) } },
];

test.each(LOG_FORMATS)('a line with the default fields is that of its attributes, as %s', (format) => {
  for (const given of GIVEN) {
    const exchange = exchangeOf(given);
    for (const answer of [answerOf(200), { ...answerOf(503, { 'grpc-status': '14' }), from: 'policy' as const }]) {
      const record = new RequestRecord(exchange.request, undefined, exchange.clock);
      record.mcpError = () => ({ code: -32_600, message: 'no' });
      record.agentCall = () => ({ method: 'message/send', outcome: 'success' });
      const entry = new Entry(exchange, answer, record);
      // Twice, since some of it is kept.
      for (const wall of [0, 1_234_567])
        expect(defaultLine(format, wall, entry)).toBe(logLine(format, wall, logFields(entry)));
    }
  }
});
