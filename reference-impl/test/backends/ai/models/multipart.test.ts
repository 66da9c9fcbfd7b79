import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formBoundary, formFields } from '../../../../backends/ai/models/multipart.ts';

type Parts = readonly (readonly [head: string, body: string])[];

function form(parts: Parts, boundary = 'cut'): Uint8Array {
  const text = parts.map(([head, body]) => `--${boundary}\r\n${head}\r\n\r\n${body}\r\n`).join('');
  return Buffer.from(`${text}--${boundary}--\r\n`);
}

const named = (name: string): string => `Content-Disposition: form-data; name="${name}"`;

const OTHER: Parts = [[named('prompt'), 'model']];

describe('formBoundary', () => {
  test.each([
    ['multipart/form-data; boundary=cut', 'cut'],
    ['Multipart/Form-Data;Boundary="a b"', 'a b'],
    ['multipart/form-data; charset=utf-8; boundary=cut; x=y', 'cut'],
    ['multipart/mixed; boundary=cut', undefined],
    ['multipart/form-data', undefined],
    ['application/json', undefined],
    [undefined, undefined],
  ])('%s', (contentType, boundary) => {
    expect(formBoundary(contentType)).toBe(boundary);
  });
});

describe('formFields', () => {
  test.each<readonly [what: string, parts: Parts, values: readonly string[]]>([
    ['the only field', [[named('model'), 'gpt']], ['gpt']],
    ['after another', [...OTHER, [named('model'), 'gpt']], ['gpt']],
    ['both of two', [[named('model'), 'gpt'], ...OTHER, [named('model'), 'other']], ['gpt', 'other']],
    ['without quotes', [['content-disposition: form-data; name=model', 'gpt']], ['gpt']],
    ['with more header fields', [[`Content-Type: text/plain\r\n${named('model')}`, 'gpt']], ['gpt']],
    ['no file', [[`${named('model')}; filename="m"`, 'file'], ...OTHER], []],
    ['no longer name', [[named('model2'), 'x']], []],
    ['empty', [[named('model'), '']], ['']],
    ['beyond ASCII', [[named('model'), 'modèle']], ['modèle']],
  ])('%s', (_, parts, values) => {
    expect(formFields(form(parts), 'cut', 'model').map(({ value }) => value)).toEqual(values);
  });

  test('start and end are the bytes of the value', () => {
    const bytes = form([
      [named('image'), 'ü'],
      [named('model'), 'gpt'],
    ]);
    const [field] = formFields(bytes, 'cut', 'model');
    expect(Buffer.from(bytes.subarray(field?.start, field?.end)).toString()).toBe('gpt');
  });

  test('finds every value that does not contain the boundary', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (value) => {
        fc.pre(!value.includes('\r\n--cut'));
        const [field] = formFields(form([...OTHER, [named('model'), value]]), 'cut', 'model');
        expect(field?.value).toBe(Buffer.from(value).toString());
      }),
    );
  });

  test('never throws, and what it finds lies in the form', () => {
    const piece = fc.constantFrom('--cut', '--cut--', '\r\n', '\r\n\r\n', named('model'), 'x', '\0', '--', ': ;');
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 20 }), (pieces) => {
        const bytes = Buffer.from(pieces.join(''));
        for (const { start, end } of formFields(bytes, 'cut', 'model')) {
          expect(start).toBeLessThanOrEqual(end);
          expect(end).toBeLessThanOrEqual(bytes.length);
        }
      }),
    );
  });
});
