import { describe, expect, test } from 'vitest';
import { encodeEvent } from '../../trace/encode.ts';
import type { TraceEvent, TraceMessage } from '../../trace/events.ts';

function encoded(message: TraceMessage): unknown {
  const event: TraceEvent = { eventStart: null, eventEnd: 1, severity: 'info', message };
  return JSON.parse(encodeEvent(event));
}

describe('an event on the wire', () => {
  test('names credential fields of both messages and hides their values', () => {
    const requestState = {
      request: {
        method: 'GET',
        headers: { authorization: 'Bearer s3cret', cookie: ['a=s3cret', 'b=s3cret'], 'x-a': 'b' },
      },
      response: { code: 200, headers: { 'set-cookie': 'c=s3cret', server: 'up' } },
    };
    const seen = encoded({ type: 'responseSnapshot', stage: 'raw response', requestState });
    expect(JSON.stringify(seen)).not.toContain('s3cret');
    expect(seen).toMatchObject({
      message: {
        requestState: {
          request: { headers: { authorization: '<redacted>', cookie: '<redacted>', 'x-a': 'b' } },
          response: { headers: { 'set-cookie': '<redacted>', server: 'up' } },
        },
      },
    });
  });

  test('hides the inline credential of a policy', () => {
    const effectivePolicy = { auth: { key: 's3cret' }, tcp: { connectTimeout: '1s' } };
    const seen = encoded({ type: 'policySelection', phase: 'backend', effectivePolicy, sources: {} });
    expect(seen).toMatchObject({
      message: { effectivePolicy: { auth: { key: '<redacted>' }, tcp: { connectTimeout: '1s' } } },
    });
  });

  test('hides the hashes of passwords', () => {
    const effectivePolicy = { basicAuthentication: { users: ['ada:s3cret'], realm: 'r' }, users: 'shown' };
    const seen = encoded({ type: 'policySelection', phase: 'route', effectivePolicy, sources: {} });
    expect(seen).toMatchObject({
      message: { effectivePolicy: { basicAuthentication: { users: '<redacted>', realm: 'r' }, users: 'shown' } },
    });
  });

  test('writes bytes as base64 and large integers as text, and never throws', () => {
    const requestState = { metadata: { bytes: Buffer.from([0, 255]), big: 2n ** 60n, small: 7n } };
    const seen = encoded({ type: 'requestSnapshot', stage: 'initial request', requestState });
    expect(seen).toMatchObject({
      message: { requestState: { metadata: { bytes: 'AP8=', big: String(2n ** 60n), small: 7 } } },
    });
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const broken = encoded({ type: 'requestSnapshot', stage: 'initial request', requestState: circular });
    expect(broken).toMatchObject({ message: { type: 'serialization_error' } });
  });
});
