import { expect, expectTypeOf, test } from 'vitest';
import { BACKEND, GATEWAY, RESPONSE, type ResponseRow, ROUTE } from '../../pipeline/phases.ts';

test('every row of the response list has a row in the table of its phase', () => {
  const tables = { gateway: GATEWAY, route: ROUTE, backend: BACKEND };
  for (const { phase, field } of RESPONSE) {
    const fields: readonly string[] = tables[phase].map((row) => row.field);
    expect(fields).toContain(field);
  }
});

test('a misspelt field, or one of another section, is a compile error', () => {
  interface Row<Phase, Field> {
    readonly phase: Phase;
    readonly field: Field;
    readonly clauses: readonly string[];
  }
  expectTypeOf<Row<'route', 'buffer'>>().toExtend<ResponseRow>();
  expectTypeOf<Row<'route', 'bufer'>>().not.toExtend<ResponseRow>();
  expectTypeOf<Row<'backend', 'buffer'>>().not.toExtend<ResponseRow>();
  expectTypeOf<Row<'route', 'sources'>>().not.toExtend<ResponseRow>();
});
