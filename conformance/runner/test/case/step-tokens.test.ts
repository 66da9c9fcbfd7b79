import { expect, test } from 'vitest';
import { namedTokens } from '../../case/step-tokens.ts';

test('a token in a step gets the name of its place, nested ones too; texts stay', () => {
  const input = {
    times: 2,
    step: { id: 'one', http: { GET: '/', bearer: { by: 'idp' } } },
    steps: [{ http: { bearer: '${tokens.good}' } }, { http: { bearer: { literal: 'x' } } }],
  };
  const { value, tokens } = namedTokens(input, ['call']);
  expect(tokens).toEqual({
    'bearer call step http': { by: 'idp' },
    'bearer call steps 1 http': { literal: 'x' },
  });
  expect(value).toEqual({
    times: 2,
    step: { id: 'one', http: { GET: '/', bearer: '${tokens.bearer call step http}' } },
    steps: [{ http: { bearer: '${tokens.good}' } }, { http: { bearer: '${tokens.bearer call steps 1 http}' } }],
  });
});
