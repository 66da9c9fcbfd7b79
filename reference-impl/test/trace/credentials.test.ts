import { expect, test } from 'vitest';
import { withoutSecretHeaders } from '../../trace/credentials.ts';

test.each([['authorization'], ['x-api-key'], ['x-goog-api-key'], ['x-amz-security-token'], ['cookie']])(
  'the value of %s is not shown',
  (name) => {
    const state = { request: { headers: { [name]: 'secret', accept: 'text/plain' } } };
    expect(withoutSecretHeaders(state)).toEqual({
      request: { headers: { [name]: '<redacted>', accept: 'text/plain' } },
    });
  },
);
