import { describe, expect, test } from 'vitest';
import { bodyText, detailLines } from '../../../admin/ui/detail-lines.ts';
import { readExpressionError } from '../../../admin/ui/expression-error.ts';
import { readHeaderLines } from '../../../admin/ui/header-lines.ts';
import { readPlace, writePlace } from '../../../admin/ui/place.ts';
import { createEventReader } from '../../../admin/ui/read-events.ts';
import { eventRow } from '../../../trace/event-row.ts';

test('a stream is cut into its events wherever its pieces end; signs of life are none', () => {
  const stream = ': ready\n\ndata: {"n":1}\n\nevent: answer\ndata: {"n":2}\n\n: keepalive\n\ndata: {';
  for (let size = 1; size <= stream.length; size += 1) {
    const read = createEventReader();
    const pieces = stream.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => read(piece))).toEqual([
      { event: '', data: '{"n":1}' },
      { event: 'answer', data: '{"n":2}' },
    ]);
  }
});

test('headers are read line by line, and a line that is none is named', () => {
  expect(readHeaderLines('A: 1\n\n b:c:d \nE:')).toEqual({
    headers: [
      ['A', '1'],
      ['b', 'c:d'],
      ['E', ''],
    ],
  });
  expect(readHeaderLines('A: 1\nnone')).toEqual({ wrong: 'line 2 of the headers is no “Name: value”: none' });
});

describe('an expression that is refused', () => {
  test('is shown with a mark at the place', () => {
    expect(readExpressionError('invalid expression: 2:3: found &\n', 'a ||\nb &')).toEqual({
      line: 2,
      column: 3,
      message: 'found &',
      picture: 'b &\n  ▲',
      offset: 7,
    });
  });

  test('is none when something else is', () => {
    expect(readExpressionError('invalid gateway: expected', 'a')).toBeUndefined();
  });
});

describe('the detail of an event', () => {
  const rows = [
    '{"message":{"type":"requestStarted"}}',
    snapshot({ a: 1 }),
    snapshot({ a: 2 }),
    `{"message":{"type":"bodySnapshot","stage":"response","body":"${btoa('one\ntwo')}"}}`,
  ].map(eventRow);

  test('is the state up to there, and what it changed', () => {
    expect(detailLines(rows, 0, 'snapshot')).toEqual([{ text: 'no snapshot up to here' }]);
    expect(detailLines(rows, 3, 'snapshot').map(({ text }) => text)).toEqual(['{', '  "a": 2', '}']);
    expect(detailLines(rows, 2, 'changes').filter(({ change }) => change !== undefined)).toEqual([
      { text: '  "a": 1', change: 'removed' },
      { text: '  "a": 2', change: 'added' },
    ]);
    expect(detailLines(rows, 1, 'changes')).toHaveLength(1);
    expect(detailLines([], 0, 'event')).toEqual([]);
  });

  test('tells of a body what it says, as far as it is text', () => {
    expect(detailLines(rows, 3, 'event').slice(-2)).toEqual([{ text: 'one' }, { text: 'two' }]);
    expect(bodyText(Buffer.from('grüße').toString('base64'))).toBe('grüße');
    expect(bodyText(Buffer.from([0xff, 0]).toString('base64'))).toBe('(2 bytes that are no text)');
  });
});

test('a place survives the address it is written into', () => {
  const place = { view: 'routes', words: 'a b&c', open: 'default/x.0' } as const;
  expect(readPlace(writePlace(place))).toEqual(place);
  expect(readPlace('#view=nowhere')).toEqual({ view: 'trace', words: '', open: '' });
});

function snapshot(state: object): string {
  return JSON.stringify({ message: { type: 'requestSnapshot', stage: 's', requestState: state } });
}
