import { compileOrFail, type Evaluation } from '../../../cel/compile.ts';

/** The variables of a request that has come far. */
export const REQUEST: Readonly<Record<string, unknown>> = {
  request: {
    method: 'GET',
    path: '/a/b',
    host: 'h:80',
    uri: 'http://h/a?x=1&x=2',
    headers: { 'x-a': 'b', multi: ['1', '2,3'], cookie: 'a=b; c=d' },
    body: Buffer.from('{"model":"m","n":1.5}'),
  },
  response: { code: 503, headers: {} },
  source: { address: '10.1.2.3', port: 1 },
  metadata: JSON.parse('{"a": 1, "__proto__": "own"}') as unknown,
  proxy: { route: null },
};

export function evaluate(expression: string, variables: Readonly<Record<string, unknown>> = REQUEST): Evaluation {
  return compileOrFail(expression).evaluate((root) => variables[root]);
}
