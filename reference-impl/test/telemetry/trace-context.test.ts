import { describe, expect, test } from 'vitest';
import { HeaderMap } from '../../base/headers.ts';
import { beginSpan, readTraceparent, withTraceparent } from '../../telemetry/trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const headersOf = (...values: readonly string[]): HeaderMap =>
  HeaderMap.of(values.map((value) => ['traceparent', value] as const));

describe('traceparent', () => {
  test.each([`00-${TRACE}-${SPAN}-01`, ` 00-${TRACE}-${SPAN}-01 `])('is read: %s', (value) => {
    expect(readTraceparent(headersOf(value))).toEqual({ traceId: TRACE, spanId: SPAN, flags: '01' });
  });
  test('of a later version may say more', () => {
    expect(readTraceparent(headersOf(`01-${TRACE}-${SPAN}-00-more`))).toMatchObject({ flags: '00' });
  });
  test.each([
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    '',
  ])('is none: %s', (value) => {
    expect(readTraceparent(headersOf(value))).toBeUndefined();
  });
  test('that came twice is none', () => {
    const value = `00-${TRACE}-${SPAN}-01`;
    expect(readTraceparent(headersOf(value, value))).toBeUndefined();
  });
});

const REQUEST = {
  method: 'GET',
  scheme: 'http',
  authority: 'a.test',
  target: '/',
  version: 'HTTP/1.1',
  headers: HeaderMap.of([
    ['tracestate', 'a=1'],
    ['traceparent', 'none'],
  ]),
  body: undefined,
} as const;

test('a span is a child of that of the client and passes its state on', () => {
  const context = beginSpan({ traceId: TRACE, spanId: SPAN, flags: '00' }, REQUEST.headers);
  expect(context).toMatchObject({ traceId: TRACE, parentSpanId: SPAN, state: 'a=1' });
  const { headers } = withTraceparent(REQUEST, context, 'aaaaaaaaaaaaaaaa');
  expect([...headers]).toEqual([
    ['tracestate', 'a=1'],
    ['traceparent', `00-${TRACE}-aaaaaaaaaaaaaaaa-01`],
  ]);
});

test('a new trace has no state of another', () => {
  const context = beginSpan(undefined, REQUEST.headers);
  expect(context.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(withTraceparent(REQUEST, context, 'aaaaaaaaaaaaaaaa').headers.has('tracestate')).toBe(false);
});
